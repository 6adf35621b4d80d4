// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Views: bound, failed, tried again, and in the end verified.
extension Supervisor {
    mutating func open(_ name: String, pool: String, at now: Instant) {
        guard !isShuttingDown, views[name] == nil, let policy = pools[pool]?.policy else { return ignore() }
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
        if let (host, slot) = view.place, hosts[host]?.bound[slot] == name {
            hosts[host]?.bound[slot] = nil
            actions.append(.release(host, slot: slot))
        }
        if let curtain = view.curtain { retire(curtain, at: now) }
        for deadline in [Deadline.bind(name), .retry(name), .curtain(name)] { deadlines.cancel(deadline) }
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
        views[name]?.phase = .waiting
        if pools[view.pool]?.waiting.contains(name) == false { pools[view.pool]?.waiting.append(name) }
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
        guard let name = hosts[id]?.bound[slot], let view = views[name],
            case .binding(id, slot, bind) = view.phase
        else { return ignore() }
        switch step {
        case .failed:
            hosts[id]?.bound[slot] = nil
            actions.append(.release(id, slot: slot))
            fail(name, .recoveryFailed, seen: seen, detail: detail, at: now)
        case .verified:
            deadlines.cancel(.bind(name))
            views[name]?.phase = .shown(id, slot: slot, since: now)
            views[name]?.incident?.mark(.verified, at: seen, detail: detail)
            hosts[id]?.needsCookies = false
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
        if case .shown(_, _, let since) = view.phase, now - since >= Self.settleTime { view.rung = 0 }
        view.rung += 1
        view.failures.record(at: now, within: policy.startLimitInterval)
        // A year of one failure a day is no crash loop.
        if view.failures.count == 1 { view.quarantines = 0 }
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
        if isShuttingDown { return enqueue(name) }
        if view.failures.count > policy.startLimitBurst {
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
        let delay = policy.backoff.delay(afterFailures: view.quarantines + 1, &randomness)
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
        guard let view = views[name], case .binding(let host, let slot, _) = view.phase else { return }
        hosts[host]?.bound[slot] = nil
        actions.append(.release(host, slot: slot))
        fail(name, .recoveryFailed, seen: now, detail: "not back in time", at: now)
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
        guard let policy = pools[pool]?.policy else { return }
        for name in pools[pool]?.views ?? [] {
            guard var view = views[name], view.curtain == nil else { continue }
            view.curtainFailures.prune(at: now, within: policy.startLimitInterval)
            views[name] = view
            if view.curtainFailures.count < Self.curtainAttempts {
                let host = spawn(.curtain(view: name), in: pool, at: now)
                views[name]?.curtain = host
            } else {
                // A view goes on without: a curtain is of use only when a whole host dies.
                curtainDue(name, at: now)
            }
        }
    }

    /// The curtain hangs, or had its time: the view goes on.
    mutating func curtainDue(_ name: String, at now: Instant) {
        deadlines.cancel(.curtain(name))
        if case .curtainFirst = views[name]?.phase { enqueue(name) }
    }

    mutating func curtainFailed(_ name: String, at now: Instant) {
        guard let pool = views[name]?.pool, let policy = pools[pool]?.policy else { return }
        views[name]?.curtainFailures.record(at: now, within: policy.startLimitInterval)
    }
}
