// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Pools: which hosts a pool has, and who gets which slot.
extension Supervisor {
    mutating func configure(_ name: String, _ policy: PoolPolicy, at now: Instant) {
        guard !isShuttingDown else { return ignore() }
        pools[name, default: Pool(policy: policy)].policy = policy
        pools[name]?.isRemoved = false
        for host in hosts.values.sorted(by: { $0.id < $1.id })
        where host.pool == name && host.generation != policy.generation {
            retire(host.id, at: now)
        }
        unsettled.insert(name)
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
        for view in views.keys {
            deadlines.cancel(.bind(view))
            deadlines.cancel(.retry(view))
            deadlines.cancel(.curtain(view))
        }
        for pool in pools.keys { deadlines.cancel(.spawn(pool)) }
    }

    /// Brings a pool to what it should have: an active host, its waiting views in slots, spares, a standby, curtains.
    mutating func settle(_ name: String, at now: Instant) {
        guard let pool = pools[name], !isShuttingDown else { return }
        if pool.views.isEmpty {
            for host in [pool.active, pool.standby].compactMap({ $0 }) { retire(host, at: now) }
            deadlines.cancel(.spawn(name))
            if pool.isRemoved, pools[name]?.active == nil, pools[name]?.standby == nil { pools[name] = nil }
            return
        }
        if pool.policy.hasCurtains { hangCurtains(in: name, at: now) }
        if pool.active == nil, !promoteStandby(in: name), maySpawn(in: name, at: now) {
            let host = spawn(.active, in: name, at: now)
            pools[name]?.active = host
        }
        bindWaiting(in: name, at: now)
        settleStandby(in: name, at: now)
    }

    /// The standby becomes the active host, at whatever point of its start it is.
    private mutating func promoteStandby(in name: String) -> Bool {
        guard let standby = pools[name]?.standby, hosts[standby] != nil else { return false }
        pools[name]?.standby = nil
        pools[name]?.active = standby
        hosts[standby]?.role = .active
        // What it was given when it started is old by now.
        hosts[standby]?.needsCookies = true
        return true
    }

    private mutating func bindWaiting(in name: String, at now: Instant) {
        guard let pool = pools[name], let active = pool.active, let host = hosts[active], host.phase == .ready else {
            return
        }
        var waiting = pool.waiting
        while let view = waiting.first, let slot = hosts[active]?.warm.first {
            waiting.removeFirst()
            bind(view, to: active, slot: slot, at: now)
        }
        pools[name]?.waiting = waiting
        if waiting.isEmpty {
            deadlines.cancel(.slots(active))
        } else if deadlines[.slots(active)] == nil {
            deadlines.set(.slots(active), at: now + pool.policy.recoveryTimeout)
        }
        let wanted = max(pool.policy.warmSlots, waiting.count)
        if hosts[active]?.wantedWarm != wanted {
            hosts[active]?.wantedWarm = wanted
            actions.append(.warm(active, count: wanted))
        }
    }

    /// The standby is started only when nobody waits: it must not take the processor from a recovery.
    private mutating func settleStandby(in name: String, at now: Instant) {
        guard let pool = pools[name] else { return }
        if let standby = pool.standby {
            if !pool.policy.keepsStandby { retire(standby, at: now) }
            return
        }
        guard pool.policy.keepsStandby, let active = pool.active, hosts[active]?.phase == .ready else { return }
        let isBusy = pool.views.contains { view in
            switch views[view]?.phase {
            case .curtainFirst, .waiting, .binding: true
            case .shown, .pausing, .quarantined, nil: false
            }
        }
        if !isBusy, maySpawn(in: name, at: now) {
            let host = spawn(.standby, in: name, at: now)
            pools[name]?.standby = host
        }
    }

    /// False while the pool's backoff lasts; a deadline then settles the pool again.
    private mutating func maySpawn(in name: String, at now: Instant) -> Bool {
        guard var pool = pools[name] else { return false }
        if let pending = deadlines[.spawn(name)], pending > now { return false }
        pool.failures.prune(at: now, within: pool.policy.startLimitInterval)
        pools[name]?.failures = pool.failures
        guard let newest = pool.failures.newest else { return true }
        let due = newest + pool.policy.backoff.delay(afterFailures: pool.failures.count, &randomness)
        if due <= now { return true }
        deadlines.set(.spawn(name), at: due)
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
