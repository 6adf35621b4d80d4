// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Views: bound, failed, tried again, and in the end verified.
extension Supervisor {
    mutating func open(_ name: String, pool: String, at now: Instant) {
        guard !isShuttingDown, views[name] == nil, pools[pool]?.isRemoved == false, let policy = pools[pool]?.policy
        else { return ignore() }
        views[name] = View(name: name, pool: pool, phase: policy.hasCurtains ? .curtainFirst : .waiting)
        pools[pool]?.views.append(name)
        if policy.hasCurtains {
            deadlines.set(.curtain(name), at: now + Self.curtainTime)
        } else {
            pools[pool]?.waiting.append(name)
        }
        unsettled.insert(pool)
    }

    mutating func close(_ name: String, at now: Instant) {
        guard let view = views[name] else { return ignore() }
        closeIncident(of: name, .closed, at: now)
        if let (host, slot) = view.place, hosts[host]?.bound[slot] == name { vacate(slot, of: host) }
        if let curtain = view.curtain { retire(curtain, at: now) }
        for deadline in [Deadline.bind(name), .retry(name), .curtain(name), .hang(name)] { deadlines.cancel(deadline) }
        views[name] = nil
        pools[view.pool]?.views.removeAll { $0 == name }
        pools[view.pool]?.waiting.removeAll { $0 == name }
        unsettled.insert(view.pool)
        actions.append(.viewClosed(view: name))
    }

    /// Puts a view into the queue for a slot.
    mutating func enqueue(_ name: String) {
        guard let view = views[name] else { return }
        deadlines.cancel(.bind(name))
        deadlines.cancel(.retry(name))
        if view.phase != .waiting { pools[view.pool]?.waiting.append(name) }
        views[name]?.phase = .waiting
        unsettled.insert(view.pool)
    }

    mutating func bind(_ name: String, to id: HostID, slot: Int, at now: Instant) {
        guard let view = views[name], let host = hosts[id], let policy = pools[view.pool]?.policy else { return }
        let bind = nextBindNumber()
        hosts[id]?.warm.removeAll { $0 == slot }
        hosts[id]?.bound[slot] = name
        views[name]?.phase = .binding(id, slot: slot, bind: bind)
        if let incident = view.incident {
            views[name]?.incident?.attempts += 1
            views[name]?.incident?.path =
                incident.host == id ? .sameHost : host.wasStandby ? .standby : .coldHost
            views[name]?.incident?.mark(.slotBound, at: now)
        }
        deadlines.set(.bind(name), at: now + policy.recoveryTimeout)
        actions.append(
            .bind(
                Binding(
                    host: id, slot: slot, bind: bind, view: name, restoresState: view.rung < 3,
                    bringsCookies: host.needsCookies)))
    }

    mutating func progress(
        _ id: HostID, _ slot: Int, _ bind: UInt64, _ step: Incident.Step, seen: Instant, detail: String?,
        at now: Instant
    ) {
        guard let host = hosts[id], host.phase == .ready, let name = host.bound[slot], let view = views[name],
            case .binding(id, slot, bind) = view.phase
        else { return ignore() }
        switch step {
        case .failed:
            vacate(slot, of: id)
            fail(name, .recoveryFailed, seen: seen, detail: detail, at: now)
        case .verified:
            deadlines.cancel(.bind(name))
            views[name]?.phase = .shown(id, slot: slot, since: now)
            views[name]?.incident?.mark(.verified, at: seen, detail: detail)
            hosts[id]?.needsCookies = false
            hosts[id]?.lateViews = []
            closeIncident(of: name, .recovered, at: now)
            actions.append(.viewReady(view: name, host: id, slot: slot))
            unsettled.insert(view.pool)
        case .died, .detected, .slotBound, .cookiesIn, .stateIn, .loadStarted, .loadFinished, .firstPaint,
            .quarantined:
            views[name]?.incident?.mark(step, at: seen, detail: detail)
        }
    }

    /// One failure of a view: opens an incident if none is open, and decides when the next slot is tried.
    mutating func fail(
        _ name: String, _ cause: Incident.Cause, seen: Instant, detail: String? = nil, at now: Instant
    ) {
        guard var view = views[name], let policy = pools[view.pool]?.policy else { return }
        deadlines.cancel(.bind(name))
        let life = if case .shown(_, _, let since) = view.phase { now - since } else { Duration.zero }
        if life >= Self.settleTime { view.rung = 0 }
        if life >= policy.healthyLife { view.quarantines = 0 }
        view.rung += 1
        view.failures.record(at: now, within: policy.startLimitInterval)
        if view.incident == nil {
            var incident = Incident(
                id: newIncidentID(), view: name, pool: view.pool, cause: cause, openedAt: min(seen, now),
                host: view.place?.host, slot: view.place?.slot)
            incident.mark(.died, at: min(seen, now))
            incident.mark(.detected, at: now, detail: detail)
            view.incident = incident
            actions.append(.incidentOpened(incident))
        } else {
            view.incident?.mark(.failed, at: now, detail: detail ?? cause.rawValue)
        }
        views[name] = view
        // Pauses in quarantine outlast the interval; only a healthy life ends it.
        if view.failures.count > policy.startLimitBurst || view.quarantines > 0 {
            quarantine(name, policy, at: now)
        } else {
            let delay = policy.backoff.delay(afterFailures: view.rung, &randomness)
            if delay > .zero {
                views[name]?.phase = .pausing
                deadlines.set(.retry(name), at: now + delay)
            } else {
                enqueue(name)
            }
        }
        unsettled.insert(view.pool)
    }

    private mutating func quarantine(_ name: String, _ policy: PoolPolicy, at now: Instant) {
        guard var view = views[name] else { return }
        view.quarantines += 1
        // Goes on where the ladder's pauses ended.
        let delay = policy.pause(afterFailures: policy.startLimitBurst + view.quarantines, &randomness)
        view.phase = .quarantined
        view.incident?.mark(.quarantined, at: now)
        views[name] = view
        deadlines.set(.retry(name), at: now + delay)
        actions.append(.viewQuarantined(view: name, for: delay, failures: view.failures.count))
    }

    mutating func retry(_ name: String, byOperator: Bool, at now: Instant) {
        guard let view = views[name] else { return ignore() }
        switch view.phase {
        case .pausing, .quarantined:
            if byOperator {
                views[name]?.failures.clear()
                views[name]?.quarantines = 0
                views[name]?.rung = 0
            }
            enqueue(name)
        case .curtainFirst, .waiting, .binding, .shown:
            if byOperator { ignore() }
        }
    }

    mutating func bindDue(_ name: String, at now: Instant) {
        guard let view = views[name], case .binding(let host, let slot, _) = view.phase,
            hosts[host]?.phase == .ready  // else its exit decides
        else { return }
        vacate(slot, of: host)
        fail(name, .recoveryFailed, seen: now, detail: "not back in time", at: now)
        noteLateBind(of: name, in: host, at: now)
    }

    /// A host that answers pings but brings no page up is of no use to its views. One view that is late may be its page's
    /// fault; several, with none shown, are the host's.
    private mutating func noteLateBind(of name: String, in id: HostID, at now: Instant) {
        guard let host = hosts[id] else { return }
        hosts[id]?.lateViews.insert(name)
        let showsAny = host.bound.values.contains { name in
            if case .shown = views[name]?.phase { true } else { false }
        }
        if host.lateViews.union([name]).count > 1, !showsAny {
            abandon(id, .unresponsive, reason: "it brings no page up", at: now)
        }
    }

    mutating func closeIncident(of name: String, _ outcome: Incident.Outcome, at now: Instant) {
        guard var incident = views[name]?.incident else { return }
        incident.outcome = outcome
        incident.closedAt = now
        views[name]?.incident = nil
        actions.append(.incidentClosed(incident))
    }

    private mutating func newIncidentID() -> String {
        [randomness.next(), randomness.next()].map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    // MARK: - Curtains

    mutating func hangCurtains(in pool: String, at now: Instant) {
        for name in pools[pool]?.views ?? [] {
            guard let view = views[name], view.curtain == nil else { continue }
            // A view goes on without: a curtain is of use only when a whole host dies.
            if view.curtainRestarts.failures >= Self.curtainAttempts { endCurtainWait(of: name) }
            if maySpawn(.hang(name), view.curtainRestarts, at: now) {
                let host = spawn(.curtain(view: name), in: pool, at: now)
                views[name]?.curtain = host
            }
        }
    }

    mutating func takeCurtainsDown(in pool: String, at now: Instant) {
        for name in pools[pool]?.views ?? [] {
            deadlines.cancel(.hang(name))
            if let curtain = views[name]?.curtain { retire(curtain, at: now) }
            endCurtainWait(of: name)
        }
    }

    /// The curtain hangs, or had its time: the view goes on.
    mutating func endCurtainWait(of name: String) {
        guard case .curtainFirst = views[name]?.phase else { return }
        deadlines.cancel(.curtain(name))
        enqueue(name)
    }
}
