// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Every decision of relightd: which hosts run, which view is in which slot, what is tried when something fails.
///
/// A value without clock, files or processes: an event and the time go in, actions come out. Events that come too late
/// to mean anything (a slot of a host that is gone) are counted and passed over: a late signal must not end a
/// supervisor. At every return each view is waiting, being bound, shown, pausing or in quarantine, and whatever it
/// waits for has a deadline.
package struct Supervisor: Sendable {
    var pools: [String: Pool] = [:]
    var hosts: [HostID: Host] = [:]
    var views: [String: View] = [:]
    var deadlines = Deadlines<Deadline>()
    var randomness: Randomness
    var actions: [Action] = []
    /// Slots to be taken away once all else is done: a host that learns first where a view goes can hold the old picture
    /// until then.
    var vacated: [(host: HostID, slot: Int)] = []
    /// Pools whose hosts and waiting views must be looked at before `receive` returns.
    var unsettled: Set<String> = []
    var isShuttingDown = false
    /// Until then silence is no evidence: the machine was suspended or starved.
    var graceUntil = Instant(microseconds: 0)
    /// Events that referred to something already gone.
    package internal(set) var ignoredEvents: UInt64 = 0
    private var lastHost: UInt64 = 0
    private var lastBind: UInt64 = 0
    private var hasFinished = false

    /// A failure sooner than this after a verified recovery continues its ladder instead of starting a new one.
    static let settleTime = Duration.seconds(1)
    /// A tick later than this shows that we were suspended or starved.
    static let latenessLimit = Duration.seconds(1)
    /// How long a view waits for its curtain before it is shown without one.
    static let curtainTime = Duration.seconds(5)
    /// After so many failed starts of its curtain a view goes on without.
    static let curtainAttempts = 3
    /// How long a killed host may take to be gone before it is given up.
    static let killTime = Duration.seconds(2)

    package init(seed: UInt64) {
        randomness = Randomness(seed: seed)
    }

    /// When `tick` is due next; nil if nothing waits.
    package var nextDeadline: Instant? { deadlines.earliest }

    package mutating func receive(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .configurePool(let name, let policy): configure(name, policy, at: now)
        case .removePool(let name): remove(pool: name, at: now)
        case .openView(let name, let pool): open(name, pool: pool, at: now)
        case .closeView(let name): close(name, at: now)
        case .retryView(let name): retry(name, byOperator: true, at: now)
        case .hostQueued(let host): queued(host)
        case .hostSpawned(let host): spawned(host, at: now)
        case .hostSpawnFailed(let host): exited(host, at: now)
        case .hostGreeted(let host): greeted(host, at: now)
        case .hostFailed(let host): abandon(host, .hostExited, reason: "it broke the protocol", at: now)
        case .hostExited(let host): exited(host, at: now)
        case .slotReady(let host, let slot): slotReady(host, slot, at: now)
        case .slotLost(let host, let slot, let reason, let seen): slotLost(host, slot, reason, seen: seen, at: now)
        case .networkLost(let host, let seen): networkLost(host, seen: seen, at: now)
        case .progress(let host, let slot, let bind, let step, let seen, let detail):
            progress(host, slot, bind, step, seen: seen, detail: detail, at: now)
        case .pong(let host, let silent): pong(host, silent, at: now)
        case .tick: break
        case .shutDown: shutDown(at: now)
        }
        runDeadlines(at: now)
        while !unsettled.isEmpty {
            // Sorted, since the order of a set differs from run to run.
            let pools = unsettled.sorted()
            unsettled = []
            for pool in pools { settle(pool, at: now) }
        }
        if isShuttingDown, hosts.isEmpty, !hasFinished {
            hasFinished = true
            actions.append(.finished)
        }
        defer {
            actions = []
            vacated = []
        }
        // A host that goes takes its slots with it.
        for (host, slot) in vacated where hosts[host]?.phase == .ready { actions.append(.release(host, slot: slot)) }
        return actions
    }

    mutating func ignore() { ignoredEvents += 1 }

    mutating func nextHostID() -> HostID {
        lastHost += 1
        return HostID(lastHost)
    }

    mutating func nextBindNumber() -> UInt64 {
        lastBind += 1
        return lastBind
    }

    private mutating func runDeadlines(at now: Instant) {
        if let first = deadlines.earliest, now - first > Self.latenessLimit { openGrace(at: now) }
        while let (deadline, _) = deadlines.popDue(now) {
            if now < graceUntil, blames(deadline) {
                // The sign of life may be on its way.
                deadlines.set(deadline, at: graceUntil)
                continue
            }
            switch deadline {
            case .hello(let host): abandon(host, .hostExited, reason: "it did not say hello in time", at: now)
            case .slots(let host): abandon(host, .hostExited, reason: "it made no slots in time", at: now)
            case .ping(let host): pingDue(host, at: now)
            case .end(let host): endDue(host, at: now)
            case .bind(let view): bindDue(view, at: now)
            case .retry(let view): retry(view, byOperator: false, at: now)
            case .curtain(let view): endCurtainWait(of: view)
            case .hang(let view): if let pool = views[view]?.pool { unsettled.insert(pool) }
            case .spawn(let pool), .spawnStandby(let pool): unsettled.insert(pool)
            }
        }
    }

    /// Whether somebody is to blame if this deadline passes; its silence may be our own or the machine's.
    private func blames(_ deadline: Deadline) -> Bool {
        switch deadline {
        case .hello, .slots, .bind: true
        case .end(let host): hosts[host]?.phase == .stopping
        // A ping checks by itself, and is due anyway.
        case .ping, .retry, .curtain, .hang, .spawn, .spawnStandby: false
        }
    }
}
