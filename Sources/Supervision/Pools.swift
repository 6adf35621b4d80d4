// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Pools: which hosts a pool has, and who gets which slot.
extension Supervisor {
    mutating func configure(_ name: String, _ policy: PoolPolicy, at now: Instant) {
        guard !isShuttingDown else { return ignore() }
        let policy = policy.withoutBusyLoops()
        var pool = pools[name] ?? Pool(policy: policy)
        if pool.policy.generation != policy.generation { forgiveHosts(of: &pool) }
        pool.policy = policy
        pool.isRemoved = false
        pools[name] = pool
        if !policy.hasCurtains { takeCurtainsDown(in: name, at: now) }
        let outdated = hosts.values.filter { $0.pool == name && $0.generation != policy.generation }
        for host in outdated.map(\.id).sorted() { retire(host, at: now) }
        unsettled.insert(name)
    }

    /// What could not start before may start now.
    private mutating func forgiveHosts(of pool: inout Pool) {
        pool.activeRestarts = Restarts()
        pool.standbyRestarts = Restarts()
        for view in pool.views { views[view]?.curtainRestarts = Restarts() }
    }

    mutating func remove(pool name: String, at now: Instant) {
        guard let pool = pools[name] else { return ignore() }
        for view in pool.views { close(view, at: now) }
        pools[name]?.isRemoved = true
        unsettled.insert(name)
    }

    mutating func shutDown(at now: Instant) {
        guard !isShuttingDown else { return ignore() }
        isShuttingDown = true
        for view in views.values.sorted(by: { $0.name < $1.name }) { closeIncident(of: view.name, .closed, at: now) }
        for host in hosts.keys.sorted() { retire(host, at: now) }
        // Nothing is waited for any more but the ends of hosts.
        deadlines.removeAll { if case .end = $0 { false } else { true } }
    }

    /// Brings a pool to what it should have: an active host, its waiting views in slots, spares, a standby, curtains.
    mutating func settle(_ name: String, at now: Instant) {
        guard let pool = pools[name], !isShuttingDown else { return }
        if pool.views.isEmpty {
            for host in [pool.active, pool.standby].compactMap({ $0 }) { retire(host, at: now) }
            deadlines.cancel(.spawn(name))
            deadlines.cancel(.spawnStandby(name))
            if pool.isRemoved, let pool = pools[name], pool.active == nil, pool.standby == nil, pool.leaving.isEmpty {
                pools[name] = nil
            }
            return
        }
        if pool.policy.hasCurtains { hangCurtains(in: name, at: now) }
        if pool.active == nil, !promoteStandby(in: name), maySpawn(.spawn(name), pool.activeRestarts, at: now) {
            let host = spawn(.active, in: name, at: now)
            pools[name]?.active = host
        }
        bindWaiting(in: name, at: now)
        settleStandby(in: name, at: now)
    }

    /// The standby becomes the active host, at whatever point of its start it is.
    private mutating func promoteStandby(in name: String) -> Bool {
        guard let standby = pools[name]?.standby else { return false }
        switch hosts[standby]?.phase {
        case .starting, .ready: break
        case .stopping, .killed, nil: return false
        }
        pools[name]?.standby = nil
        pools[name]?.active = standby
        hosts[standby]?.role = .active
        // What it was given when it started is old by now.
        hosts[standby]?.needsCookies = true
        return true
    }

    private mutating func bindWaiting(in name: String, at now: Instant) {
        guard let pool = pools[name], let active = pool.active, let host = hosts[active], host.phase == .ready,
            pool.leaving.isEmpty
        else { return }
        let served = zip(pool.waiting, host.warm)
        let count = min(pool.waiting.count, host.warm.count)
        let wanted = max(pool.policy.warmSlots, pool.waiting.count - count)
        pools[name]?.waiting.removeFirst(count)
        // A host makes up for a bound slot as soon as it hears of it. So it hears of fewer first, lest it make one too
        // many for each waiting view, and of more last, lest making them hold up the bind.
        if wanted < host.wantedWarm { want(wanted, of: active) }
        for (view, slot) in served { bind(view, to: active, slot: slot, at: now) }
        if wanted > host.wantedWarm { want(wanted, of: active) }
        owes(active, slots: pool.waiting.count > count, hasMadeSome: count > 0, pool.policy, at: now)
    }

    private mutating func want(_ count: Int, of host: HostID) {
        hosts[host]?.wantedWarm = count
        actions.append(.warm(host, count: count))
    }

    /// A host that owes slots must make at least one in each `recoveryTimeout`.
    private mutating func owes(
        _ host: HostID, slots isOwing: Bool, hasMadeSome: Bool, _ policy: PoolPolicy, at now: Instant
    ) {
        if !isOwing {
            deadlines.cancel(.slots(host))
        } else if hasMadeSome || deadlines[.slots(host)] == nil {
            deadlines.set(.slots(host), at: now + policy.recoveryTimeout)
        }
    }

    /// The standby is started only when nobody waits: it must not take the processor from a recovery.
    private mutating func settleStandby(in name: String, at now: Instant) {
        guard let pool = pools[name] else { return }
        if let standby = pool.standby {
            guard pool.policy.keepsStandby else { return retire(standby, at: now) }
            guard let host = hosts[standby], host.phase == .ready else { return }
            let wanted = max(pool.policy.warmSlots, 1)
            if host.wantedWarm != wanted { want(wanted, of: standby) }
            // Found out now rather than when it is needed.
            return owes(standby, slots: host.warm.isEmpty, hasMadeSome: false, pool.policy, at: now)
        }
        guard pool.policy.keepsStandby, let active = pool.active, hosts[active]?.phase == .ready else { return }
        let isBusy = pool.views.contains { view in
            switch views[view]?.phase {
            case .curtainFirst, .waiting, .binding: true
            case .shown, .pausing, .quarantined, nil: false
            }
        }
        if !isBusy, pool.leaving.isEmpty, maySpawn(.spawnStandby(name), pool.standbyRestarts, at: now) {
            let host = spawn(.standby, in: name, at: now)
            pools[name]?.standby = host
        }
    }

    /// False during a pause after failures; its end then settles the pool again.
    mutating func maySpawn(_ deadline: Deadline, _ restarts: Restarts, at now: Instant) -> Bool {
        guard let due = restarts.notBefore, due > now else {
            deadlines.cancel(deadline)
            return true
        }
        deadlines.set(deadline, at: due)
        return false
    }

    mutating func spawn(_ role: HostRole, in name: String, at now: Instant) -> HostID? {
        guard let pool = pools[name] else { return nil }
        let id = nextHostID()
        let warmSlots =
            switch role {
            case .active: max(pool.policy.warmSlots, pool.waiting.count)
            case .standby: max(pool.policy.warmSlots, 1)
            case .curtain: 0
            }
        hosts[id] = Host(
            id: id, pool: name, generation: pool.policy.generation, role: role, wantedWarm: warmSlots,
            needsCookies: false, wasStandby: role == .standby)
        deadlines.set(.hello(id), at: now + pool.policy.helloTimeout)
        actions.append(.spawn(id, pool: name, role: role, warmSlots: warmSlots))
        return id
    }
}
