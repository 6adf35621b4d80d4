// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Hosts: from the start to the exit.
extension Supervisor {
    mutating func greeted(_ id: HostID, at now: Instant) {
        guard let host = hosts[id], host.phase == .starting else { return ignore() }
        hosts[id]?.phase = .ready
        hosts[id]?.lastPong = now
        deadlines.cancel(.hello(id))
        if let policy = pools[host.pool]?.policy { deadlines.set(.ping(id), at: now + policy.heartbeatInterval) }
        unsettled.insert(host.pool)
    }

    mutating func slotReady(_ id: HostID, _ slot: Int, at now: Instant) {
        guard let host = hosts[id], host.phase == .ready else { return ignore() }
        if case .curtain(let view) = host.role {
            return curtainDue(view, at: now)
        }
        guard host.bound[slot] == nil, !host.warm.contains(slot) else { return ignore() }
        hosts[id]?.warm.append(slot)
        unsettled.insert(host.pool)
    }

    mutating func slotLost(_ id: HostID, _ slot: Int, _ reason: LossReason, seen: Instant, at now: Instant) {
        guard let host = hosts[id] else { return ignore() }
        unsettled.insert(host.pool)
        if let index = host.warm.firstIndex(of: slot) {
            // A dead spare; the host makes another one of its own accord.
            hosts[id]?.warm.remove(at: index)
        } else if let view = host.bound[slot] {
            hosts[id]?.bound[slot] = nil
            let cause: Incident.Cause =
                switch reason {
                case .crashed: .contentCrashed
                case .memory: .memory
                case .unresponsive: .unresponsive
                case .closed: .recoveryFailed
                }
            fail(view, cause, seen: seen, at: now)
        } else {
            ignore()
        }
    }

    /// The engine's cookies are gone; every view of the host moves to a slot that talks to the new network process.
    mutating func networkLost(_ id: HostID, seen: Instant, at now: Instant) {
        guard let host = hosts[id], host.phase == .ready else { return ignore() }
        hosts[id]?.needsCookies = true
        hosts[id]?.bound = [:]
        for (_, view) in host.bound.sorted(by: { $0.key < $1.key }) {
            fail(view, .networkProcessLost, seen: seen, at: now)
        }
    }

    /// Ends a host that failed. Its views move when it is gone, so that no two hosts serve one view.
    mutating func abandon(_ id: HostID, _ cause: Incident.Cause, reason: String, at now: Instant) {
        guard let host = hosts[id] else { return ignore() }
        switch host.phase {
        case .starting, .ready:
            hosts[id]?.phase = .killed(cause)
            hosts[id]?.warm = []
            cancelDeadlines(of: id)
            deadlines.set(.end(id), at: now + Self.killTime)
            actions.append(.kill(id, reason: reason))
        case .stopping:
            actions.append(.kill(id, reason: reason))
        case .killed:
            ignore()
        }
    }

    /// Stops a host on purpose; its views, if any are left, go elsewhere without an incident.
    mutating func retire(_ id: HostID, at now: Instant) {
        guard let host = hosts[id] else { return ignore() }
        switch host.phase {
        case .stopping, .killed: return
        case .starting, .ready: break
        }
        detach(host)
        for (_, view) in host.bound.sorted(by: { $0.key < $1.key }) { enqueue(view) }
        hosts[id]?.bound = [:]
        hosts[id]?.warm = []
        hosts[id]?.phase = .stopping
        cancelDeadlines(of: id)
        deadlines.set(.end(id), at: now + (pools[host.pool]?.policy.stopTimeout ?? Self.killTime))
        actions.append(.stop(id))
    }

    mutating func exited(_ id: HostID, at now: Instant) {
        guard let host = hosts.removeValue(forKey: id) else { return ignore() }
        cancelDeadlines(of: id)
        detach(host)
        unsettled.insert(host.pool)
        let cause: Incident.Cause
        switch host.phase {
        case .stopping: return
        case .killed(let reason): cause = reason
        case .starting, .ready: cause = .hostExited
        }
        if case .curtain(let view) = host.role { return curtainFailed(view, at: now) }
        if let interval = pools[host.pool]?.policy.startLimitInterval {
            pools[host.pool]?.failures.record(at: now, within: interval)
        }
        for (_, view) in host.bound.sorted(by: { $0.key < $1.key }) { fail(view, cause, seen: now, at: now) }
    }

    mutating func endDue(_ id: HostID, at now: Instant) {
        guard let host = hosts[id] else { return }
        if case .killed = host.phase { return exited(id, at: now) }
        actions.append(.kill(id, reason: "it did not stop in time"))
        // The next time it is given up: a process in uninterruptible sleep must not hold up a stop.
        if case .stopping = host.phase { hosts[id]?.phase = .killed(.hostExited) }
        deadlines.set(.end(id), at: now + Self.killTime)
    }

    private mutating func detach(_ host: Host) {
        if pools[host.pool]?.active == host.id { pools[host.pool]?.active = nil }
        if pools[host.pool]?.standby == host.id { pools[host.pool]?.standby = nil }
        if case .curtain(let view) = host.role, views[view]?.curtain == host.id { views[view]?.curtain = nil }
    }

    private mutating func cancelDeadlines(of id: HostID) {
        for deadline in [Deadline.hello(id), .ping(id), .end(id), .slots(id)] { deadlines.cancel(deadline) }
    }

    // MARK: - Heartbeats

    mutating func pingDue(_ id: HostID, at now: Instant) {
        guard let host = hosts[id], host.phase == .ready, let policy = pools[host.pool]?.policy else { return }
        if host.pings > 0, now - host.lastPong > policy.heartbeatTimeout + policy.heartbeatInterval, now >= graceUntil {
            return abandon(id, .unresponsive, reason: "it does not answer", at: now)
        }
        hosts[id]?.pings += 1
        actions.append(.ping(id, sequence: host.pings + 1))
        deadlines.set(.ping(id), at: now + policy.heartbeatInterval)
    }

    mutating func pong(_ id: HostID, _ silent: [Int: Duration], at now: Instant) {
        guard let host = hosts[id], let policy = pools[host.pool]?.policy else { return ignore() }
        hosts[id]?.lastPong = now
        guard now >= graceUntil else { return }
        for (slot, silence) in silent.sorted(by: { $0.key < $1.key }) where silence > policy.heartbeatTimeout {
            guard let view = host.bound[slot], case .shown = views[view]?.phase else { continue }
            hosts[id]?.bound[slot] = nil
            fail(view, .unresponsive, seen: now, at: now)
        }
    }

    /// After a suspend or a starved interval every silence is explained; the first late heartbeat must kill nobody.
    mutating func openGrace(at now: Instant) {
        let longest = pools.values.map(\.policy.heartbeatTimeout).max() ?? .zero
        graceUntil = now + min(longest, .seconds(60))
        for id in hosts.keys { hosts[id]?.lastPong = now }
    }
}

extension Supervisor {
    /// What a host is for; nil once it is on its way out.
    package func role(of id: HostID) -> HostRole? {
        switch hosts[id]?.phase {
        case .starting, .ready: hosts[id]?.role
        case .stopping, .killed, nil: nil
        }
    }
}
