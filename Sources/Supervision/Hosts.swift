// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Hosts: from the start to the exit.
extension Supervisor {
    /// No hello can come from a host that is not started; its time begins with its start.
    mutating func queued(_ id: HostID) {
        guard hosts[id]?.phase == .starting else { return ignore() }
        deadlines.cancel(.hello(id))
    }

    mutating func spawned(_ id: HostID, at now: Instant) {
        guard let host = hosts[id], host.phase == .starting, let policy = pools[host.pool]?.policy else {
            return ignore()
        }
        if deadlines[.hello(id)] == nil { deadlines.set(.hello(id), at: now + policy.helloTimeout) }
    }

    mutating func greeted(_ id: HostID, at now: Instant) {
        guard let host = hosts[id], host.phase == .starting else { return ignore() }
        hosts[id]?.phase = .ready
        hosts[id]?.readySince = now
        hosts[id]?.lastPong = now
        deadlines.cancel(.hello(id))
        if let policy = pools[host.pool]?.policy { deadlines.set(.ping(id), at: now + policy.heartbeatInterval) }
        unsettled.insert(host.pool)
    }

    mutating func slotReady(_ id: HostID, _ slot: Int, at now: Instant) {
        guard let host = hosts[id], host.phase == .ready else { return ignore() }
        if case .curtain(let view) = host.role {
            return endCurtainWait(of: view)
        }
        guard host.bound[slot] == nil, !host.warm.contains(slot) else { return ignore() }
        hosts[id]?.warm.append(slot)
        unsettled.insert(host.pool)
    }

    mutating func slotLost(_ id: HostID, _ slot: Int, _ reason: LossReason, seen: Instant, at now: Instant) {
        // A host that is going takes its slots with it: its views move when it is gone.
        guard let host = hosts[id], host.phase == .ready else { return ignore() }
        if let index = host.warm.firstIndex(of: slot) {
            // A dead spare; the host makes another one of its own accord.
            hosts[id]?.warm.remove(at: index)
            unsettled.insert(host.pool)
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
        for (slot, view) in host.bound.sorted(by: { $0.key < $1.key }) {
            vacate(slot, of: id)
            fail(view, .networkProcessLost, seen: seen, at: now)
        }
    }

    /// Takes a slot that lives from its view.
    mutating func vacate(_ slot: Int, of id: HostID) {
        hosts[id]?.bound[slot] = nil
        vacated.append((id, slot))
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
        case .stopping, .killed:
            // A host that stops closes its socket at some point; its end has a deadline of its own.
            ignore()
        }
    }

    /// Stops a host on purpose. Its views, if any are left, go elsewhere without an incident once it is gone: until then
    /// it shows them, and its last words about them (cookies, page state) are still to come.
    mutating func retire(_ id: HostID, at now: Instant) {
        guard let host = hosts[id] else { return ignore() }
        switch host.phase {
        case .stopping, .killed: return
        case .starting, .ready: break
        }
        if pools[host.pool]?.active == id { pools[host.pool]?.leaving.insert(id) }
        detach(host)
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
        pools[host.pool]?.leaving.remove(id)
        guard !isShuttingDown else { return }
        unsettled.insert(host.pool)
        let views = host.bound.sorted { $0.key < $1.key }.map(\.value)
        let cause: Incident.Cause
        switch host.phase {
        case .stopping, .killed(nil):
            for view in views { enqueue(view) }
            // The next host may have been welcomed before this one said its last.
            if host.role == .active, let next = pools[host.pool]?.active { hosts[next]?.needsCookies = true }
            return
        case .killed(let reason?): cause = reason
        case .starting, .ready: cause = .hostExited
        }
        recordFailure(of: host, at: now)
        for view in views { fail(view, cause, seen: now, at: now) }
    }

    private mutating func recordFailure(of host: Host, at now: Instant) {
        guard let policy = pools[host.pool]?.policy else { return }
        let life = host.readySince.map { now - $0 } ?? .zero
        switch host.role {
        case .active: pools[host.pool]?.activeRestarts.recordFailure(at: now, after: life, policy, &randomness)
        case .standby: pools[host.pool]?.standbyRestarts.recordFailure(at: now, after: life, policy, &randomness)
        case .curtain(let view):
            // The curtain of a view that was closed may outlast it, and see another of that name.
            guard let place = views[view], place.curtain == nil else { return }
            views[view]?.curtainRestarts.recordFailure(at: now, after: life, policy, &randomness)
        }
    }

    mutating func endDue(_ id: HostID, at now: Instant) {
        guard let host = hosts[id] else { return }
        // Killed and still there: a process in uninterruptible sleep must not hold up a stop.
        if case .killed = host.phase { return exited(id, at: now) }
        hosts[id]?.phase = .killed(nil)
        deadlines.set(.end(id), at: now + Self.killTime)
        actions.append(.kill(id, reason: "it did not stop in time"))
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
        guard let host = hosts[id], host.phase == .ready, let policy = pools[host.pool]?.policy else {
            return ignore()
        }
        hosts[id]?.lastPong = now
        guard now >= graceUntil else { return }
        for (slot, silence) in silent.sorted(by: { $0.key < $1.key }) where silence > policy.heartbeatTimeout {
            guard let view = host.bound[slot], case .shown = views[view]?.phase else { continue }
            vacate(slot, of: id)
            fail(view, .unresponsive, seen: now, at: now)
        }
    }

    /// After a suspend or a starved interval every silence is explained; the first late heartbeat must kill nobody.
    mutating func openGrace(at now: Instant) {
        let longest = pools.values.map(\.policy.heartbeatTimeout).max() ?? .zero
        graceUntil = now + max(min(longest, .seconds(60)), Self.latenessLimit)
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
