// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

@testable import Supervision

/// A world in miniature around a supervisor: hosts that start, make slots, show pages, answer, and at any moment crash,
/// hang, stall, lose slots, pages or the network process, report late, or refuse to end; an operator who changes his
/// mind; and a supervisor that sometimes gets no processor. Driven by a seed and nothing else.
struct World {
    /// What is to happen, in the order of time; of equal times, in the order in which it was arranged.
    enum Happening {
        case deliver(Event)
        case act(HostID, Deed)
        case chaos
    }

    /// What a host does after a while, if it still can.
    enum Deed {
        case hello
        case makeSlot
        case step(slot: Int, bind: UInt64, Incident.Step)
        case resume
        case die
    }

    var machine: Supervisor
    var random: Randomness
    private(set) var now = Instant(microseconds: 1_000_000_000)
    var hosts: [HostID: FakeHost] = [:]
    var ledger = Ledger()
    /// From then on nothing new goes wrong; what is broken stays so.
    var isHealthy = false
    var transitions = 0
    /// All actions, if they are wanted.
    var recording: [Action]?
    /// Nothing is handed to the supervisor before.
    var starvedUntil = Instant(microseconds: 0)
    var policies: [String: PoolPolicy] = [:]
    var nextName = 0
    private var queue: [Int: Happening] = [:]
    private var order = Deadlines<Int>()
    private var lastOrder = 0
    /// Messages of one host do not overtake each other.
    private var channels: [HostID: Instant] = [:]

    init(seed: UInt64, pools: Int = 2, views: Int = 5) {
        machine = Supervisor(seed: seed)
        random = Randomness(seed: seed ^ 0x5EED)
        for index in 0..<pools { configure("pool\(index)", randomPolicy(generation: 0)) }
        for _ in 0..<views { openView() }
        schedule(.chaos, after: .zero)
    }

    // MARK: - Time

    mutating func schedule(_ happening: Happening, after delay: Duration) {
        lastOrder += 1
        queue[lastOrder] = happening
        order.set(lastOrder, at: now + delay)
    }

    /// Lets the next thing happen: a deadline of the supervisor or something in the world. False if nothing is left, or
    /// it lies beyond `limit`.
    mutating func proceed(until limit: Instant) -> Bool {
        let due = [order.earliest, machine.nextDeadline].compactMap { $0 }.min()
        guard let due, due <= limit else { return false }
        now = max(now, due, starvedUntil)
        if let deadline = machine.nextDeadline, deadline <= now, order.earliest.map({ deadline < $0 }) ?? true {
            receive(.tick)
            return true
        }
        guard let (key, _) = order.popDue(now), let happening = queue.removeValue(forKey: key) else { return true }
        switch happening {
        case .deliver(let event): receive(event)
        case .act(let host, let deed): perform(deed, host)
        case .chaos: wreak()
        }
        return true
    }

    mutating func receive(_ event: Event) {
        transitions += 1
        ledger.note(event, at: now)
        let actions = machine.receive(event, at: now)
        recording?.append(contentsOf: actions)
        for action in actions {
            ledger.note(action, at: now)
            react(to: action)
        }
        ledger.check(machine, after: event, at: now)
    }

    /// What a host says, after the time it takes to say it.
    mutating func say(_ event: Event, from host: HostID, after delay: Duration = .zero) {
        let at = max(channels[host] ?? now, now + delay)
        channels[host] = at
        schedule(.deliver(event), after: at - now)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// A fault: never in a healthy world.
    mutating func goesWrong(_ percent: Int) -> Bool { !isHealthy && chance(percent) }

    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &random))
    }

    // MARK: - What the supervisor wants

    private mutating func react(to action: Action) {
        switch action {
        case .spawn(let id, let pool, let role, let warmSlots): spawn(id, pool, role, warmSlots)
        case .kill(let id, _):
            guard let host = hosts[id], host.isAlive else { return }
            // One in uninterruptible sleep ends much later, or never.
            if host.isUnkillable {
                if chance(50) { schedule(.act(id, .die), after: milliseconds(3000...60_000)) }
            } else {
                schedule(.act(id, .die), after: milliseconds(1...30))
            }
        case .incidentOpened, .incidentClosed, .viewReady, .viewQuarantined, .viewClosed, .finished: break
        case .stop(let id), .warm(let id, _), .release(let id, _), .ping(let id, _): pass(action, to: id)
        case .bind(let binding): pass(action, to: binding.host)
        }
    }

    private mutating func pass(_ action: Action, to id: HostID) {
        guard let host = hosts[id], host.isAlive else { return }
        if host.isHung { hosts[id]?.inbox.append(action) } else { obey(action, id) }
    }

    private mutating func spawn(_ id: HostID, _ pool: String, _ role: HostRole, _ warmSlots: Int) {
        if goesWrong(8) { return schedule(.deliver(.hostSpawnFailed(id)), after: milliseconds(0...5)) }
        var host = FakeHost(pool: pool, isCurtain: role != .active && role != .standby, wanted: max(warmSlots, 0))
        host.pace = goesWrong(15) ? milliseconds(200...2000) : milliseconds(1...40)
        host.isDeafToStop = goesWrong(10)
        host.isUnkillable = goesWrong(4)
        host.makesNoSlots = goesWrong(4)
        hosts[id] = host
        schedule(.deliver(.hostSpawned(id)), after: .zero)
        if goesWrong(6) {
            schedule(.act(id, .die), after: milliseconds(0...3))
        } else if !goesWrong(6) {
            schedule(.act(id, .hello), after: host.pace)
        }
    }

    // MARK: - What hosts do

    mutating func obey(_ action: Action, _ id: HostID) {
        guard let host = hosts[id] else { return }
        switch action {
        case .stop: if !host.isDeafToStop { schedule(.act(id, .die), after: host.pace) }
        case .warm(_, let count):
            hosts[id]?.wanted = count
            makeUp(id)
        case .release(_, let slot):
            hosts[id]?.slots[slot] = nil
            makeUp(id)
        case .ping:
            let silent = host.slots.compactMapValues { slot in slot.hungSince.map { now - $0 } }
            say(.pong(id, silent: silent), from: id, after: host.pace)
        case .bind(let binding): bind(binding, host)
        default: break
        }
    }

    private mutating func bind(_ binding: Binding, _ host: FakeHost) {
        let (id, slot) = (binding.host, binding.slot)
        guard host.slots[slot]?.isWarm == true else {
            return say(
                .progress(id, slot: slot, bind: binding.bind, step: .failed, at: now, detail: nil), from: id)
        }
        hosts[id]?.slots[slot] = FakeHost.Slot(isWarm: false, bind: binding.bind, view: binding.view)
        makeUp(id)
        if goesWrong(6) { return }  // A page that never loads.
        var delay = Duration.zero
        for step in [Incident.Step.loadStarted, .firstPaint, goesWrong(8) ? .failed : .verified] {
            delay += host.pace
            schedule(.act(id, .step(slot: slot, bind: binding.bind, step)), after: delay)
        }
    }

    private mutating func makeUp(_ id: HostID) {
        guard let host = hosts[id], host.isGreeted, !host.makesNoSlots, !host.isCurtain else { return }
        let spares = host.preparing + host.slots.values.count { $0.isWarm }
        for _ in 0..<max(host.wanted - spares, 0) {
            hosts[id]?.preparing += 1
            schedule(.act(id, .makeSlot), after: host.pace)
        }
    }

    mutating func perform(_ deed: Deed, _ id: HostID) {
        guard let host = hosts[id], host.isAlive else { return }
        switch deed {
        case .die:
            hosts[id]?.isAlive = false
            schedule(.deliver(.hostExited(id)), after: milliseconds(0...20))
            return
        case .resume:
            hosts[id]?.isHung = false
            hosts[id]?.inbox = []
            for action in host.inbox { obey(action, id) }
            return
        case .hello, .makeSlot, .step: break
        }
        // Whatever a hung host had in hand waits until it goes on, if ever.
        if host.isHung { return schedule(.act(id, deed), after: .seconds(5)) }
        switch deed {
        case .hello:
            hosts[id]?.isGreeted = true
            say(.hostGreeted(id), from: id)
            if host.isCurtain, !goesWrong(10) { say(.slotReady(id, slot: 1), from: id, after: host.pace) }
            makeUp(id)
        case .makeSlot:
            guard host.preparing > 0 else { return }
            hosts[id]?.preparing -= 1
            hosts[id]?.lastSlot += 1
            hosts[id]?.slots[host.lastSlot + 1] = FakeHost.Slot(isWarm: true)
            say(.slotReady(id, slot: host.lastSlot + 1), from: id)
        case .step(let slot, let bind, let step):
            guard host.slots[slot]?.bind == bind else { return }
            if goesWrong(3) { return loseSlot(slot, of: id) }
            say(.progress(id, slot: slot, bind: bind, step: step, at: now, detail: nil), from: id)
        case .die, .resume: break
        }
    }

    mutating func loseSlot(_ slot: Int, of id: HostID) {
        hosts[id]?.slots[slot] = nil
        let delay = goesWrong(10) ? milliseconds(100...3000) : milliseconds(0...20)
        say(.slotLost(id, slot: slot, chance(80) ? .crashed : .memory, at: now), from: id, after: delay)
        makeUp(id)
    }
}

struct FakeHost {
    struct Slot {
        var isWarm: Bool
        var bind: UInt64?
        var view: String?
        var hungSince: Instant?
    }

    let pool: String
    let isCurtain: Bool
    var wanted: Int
    var isAlive = true
    var isHung = false
    var isGreeted = false
    var isDeafToStop = false
    var isUnkillable = false
    var makesNoSlots = false
    /// How long it takes for anything it does.
    var pace = Duration.milliseconds(10)
    var slots: [Int: Slot] = [:]
    var preparing = 0
    var lastSlot = 0
    /// What it was told while it hung.
    var inbox: [Action] = []
}
