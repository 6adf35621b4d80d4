// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

/// A supervisor with a clock of its own and hosts that do only what the test says, or, if `isObedient`, all they should
/// and at once. Deadlines are met on time unless the test jumps over them.
struct Stage {
    private(set) var machine: Supervisor
    private(set) var now = Instant(microseconds: 1_000_000_000)
    /// Everything the machine wanted so far.
    private(set) var history: [Action] = []
    /// Hosts greet, make slots, show pages, and end, at once.
    var isObedient = false
    /// Answers every ping, except for those in `deaf`.
    var answersPings = true
    var deaf: Set<HostID> = []
    private var lastSlot = 0
    /// How many warm slots obedient hosts have, and how many they should.
    private var spares: [HostID: Int] = [:]
    private var wantedSpares: [HostID: Int] = [:]

    init(seed: UInt64 = 1) {
        machine = Supervisor(seed: seed)
    }

    @discardableResult mutating func send(_ event: Event) -> [Action] {
        let start = history.count
        var queue = [event]
        var next = 0
        while next < queue.count {
            let actions = machine.receive(queue[next], at: now)
            next += 1
            history += actions
            for action in actions { queue += answers(to: action) }
        }
        return Array(history[start...])
    }

    /// Lets time pass; every deadline on the way is met to the microsecond.
    @discardableResult mutating func wait(_ interval: Duration) -> [Action] {
        let start = history.count
        let end = now + interval
        while let due = machine.nextDeadline, due <= end {
            #expect(due >= now, "a deadline lies in the past: the loop would spin")
            now = max(now, due)
            send(.tick)
        }
        now = end
        return Array(history[start...])
    }

    /// Lets time pass with the supervisor not running, then lets it see what is due.
    @discardableResult mutating func sleep(_ interval: Duration) -> [Action] {
        now = now + interval
        return send(.tick)
    }

    /// Lets time pass and nothing happen: for events that are processed before anything that is due meanwhile.
    mutating func skip(_ interval: Duration) { now = now + interval }

    private mutating func answers(to action: Action) -> [Event] {
        switch action {
        case .ping(let host, _) where answersPings && !deaf.contains(host): return [.pong(host, silent: [:])]
        case .spawn(let host, _, let role, let warmSlots) where isObedient:
            if case .curtain = role { return [.hostGreeted(host), .slotReady(host, slot: nextSlot())] }
            return [.hostGreeted(host)] + makeSpares(host, warmSlots)
        case .warm(let host, let count) where isObedient: return makeSpares(host, count)
        case .bind(let binding) where isObedient:
            spares[binding.host, default: 1] -= 1
            return [verified(binding)] + makeSpares(binding.host, wantedSpares[binding.host] ?? 0)
        case .stop(let host) where isObedient, .kill(let host, _) where isObedient: return [.hostExited(host)]
        default: return []
        }
    }

    private mutating func makeSpares(_ host: HostID, _ wanted: Int) -> [Event] {
        wantedSpares[host] = wanted
        let missing = max(wanted - spares[host, default: 0], 0)
        spares[host, default: 0] += missing
        return (0..<missing).map { _ in .slotReady(host, slot: nextSlot()) }
    }

    mutating func nextSlot() -> Int {
        lastSlot += 1
        return lastSlot
    }

    func verified(_ binding: Binding) -> Event { progress(binding, .verified) }

    func progress(_ binding: Binding, _ step: Incident.Step) -> Event {
        .progress(binding.host, slot: binding.slot, bind: binding.bind, step: step, at: now, detail: nil)
    }

    func lost(_ binding: Binding, _ reason: LossReason = .crashed) -> Event {
        .slotLost(binding.host, slot: binding.slot, reason, at: now)
    }

    /// A host says hello and makes so many slots.
    @discardableResult mutating func greet(_ host: HostID, slots: Int = 0) -> [Action] {
        let start = history.count
        send(.hostSpawned(host))
        send(.hostGreeted(host))
        for _ in 0..<slots { send(.slotReady(host, slot: nextSlot())) }
        return Array(history[start...])
    }

    /// A pool whose views are all shown, with every spare it should have. Returns its active host.
    mutating func startPool(
        _ name: String = "p", _ policy: PoolPolicy = PoolPolicy(), views: [String] = ["v"]
    ) throws -> HostID {
        let wasObedient = isObedient
        isObedient = true
        send(.configurePool(name, policy))
        for view in views { send(.openView(view, pool: name)) }
        isObedient = wasObedient
        let host = try #require(machine.pools[name]?.active)
        for view in views { #expect(isShown(view)) }
        return host
    }

    // MARK: - What the machine holds

    func isShown(_ view: String) -> Bool {
        if case .shown = machine.views[view]?.phase { true } else { false }
    }

    func isQuarantined(_ view: String) -> Bool { machine.views[view]?.phase == .quarantined }

    func slot(of view: String) throws -> Int { try #require(machine.views[view]?.place).slot }

    func host(of view: String) throws -> HostID { try #require(machine.views[view]?.place).host }

    func standby(of pool: String = "p") throws -> HostID { try #require(machine.pools[pool]?.standby) }
}

extension [Action] {
    var spawns: [(host: HostID, role: HostRole)] {
        compactMap { if case .spawn(let host, _, let role, _) = $0 { (host, role) } else { nil } }
    }
    var binds: [Binding] { compactMap { if case .bind(let binding) = $0 { binding } else { nil } } }
    var opened: [Incident] { compactMap { if case .incidentOpened(let incident) = $0 { incident } else { nil } } }
    var closed: [Incident] { compactMap { if case .incidentClosed(let incident) = $0 { incident } else { nil } } }
    var kills: [HostID] { compactMap { if case .kill(let host, _) = $0 { host } else { nil } } }
    var stops: [HostID] { compactMap { if case .stop(let host) = $0 { host } else { nil } } }
    var quarantines: [Duration] {
        compactMap { if case .viewQuarantined(_, let pause, _) = $0 { pause } else { nil } }
    }
    var ready: [String] { compactMap { if case .viewReady(let view, _, _) = $0 { view } else { nil } } }
    var finishes: Int { count { $0 == .finished } }

    func bind(of view: String) throws -> Binding { try #require(binds.last { $0.view == view }) }

    func spawn(_ role: HostRole) throws -> HostID { try #require(spawns.last { $0.role == role }).host }
}

extension Incident {
    var steps: [Step] { timeline.map(\.step) }
}
