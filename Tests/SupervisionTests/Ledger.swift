// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

@testable import Supervision

/// Keeps its own books of what a supervisor was told and what it wanted, and says what does not fit.
struct Ledger {
    enum HostState { case spawned, greeted, stopped, killed }

    struct Entry {
        var pool: String
        var role: HostRole
        var state = HostState.spawned
        var killedAt: Instant?
        var warm: Set<Int> = []
        var bound: [Int: String] = [:]
        /// The version of the pool's cookies that its engine holds; nil if it lost them.
        var cookies: Int?
    }

    private(set) var violations: [String] = []
    private var hosts: [HostID: Entry] = [:]
    private var lastHost = HostID(0)
    private var lastBind: UInt64 = 0
    private var views: Set<String> = []
    /// Asked for with this event.
    private var candidate: String?
    private var incidents: [String: String] = [:]
    /// Counts up whenever a pool's cookies change.
    private var cookies: [String: Int] = [:]
    private(set) var opened = 0
    private(set) var closed = 0
    private(set) var binds = 0
    private(set) var quarantines = 0
    private(set) var kills = 0
    private(set) var finishes = 0
    var openIncidents: Int { incidents.count }

    private mutating func demand(_ condition: Bool, _ what: @autoclosure () -> String, at now: Instant) {
        guard !condition, violations.count < 5 else { return }
        violations.append("at \(now.microseconds): \(what())")
    }

    // MARK: - What the supervisor is told

    mutating func note(_ event: Event, at now: Instant) {
        candidate = nil
        switch event {
        case .openView(let view, _): candidate = view
        case .hostGreeted(let id):
            guard hosts[id]?.state == .spawned, let pool = hosts[id]?.pool else { return }
            hosts[id]?.state = .greeted
            hosts[id]?.cookies = cookies[pool, default: 0]
        case .slotReady(let id, let slot):
            if hosts[id]?.state == .greeted, hosts[id]?.bound[slot] == nil { hosts[id]?.warm.insert(slot) }
        case .slotLost(let id, let slot, _, _):
            guard hosts[id]?.state == .greeted else { return }
            hosts[id]?.warm.remove(slot)
            hosts[id]?.bound[slot] = nil
        case .networkLost(let id, _): if hosts[id]?.state == .greeted { hosts[id]?.cookies = nil }
        case .progress(let id, _, _, .verified, _, _): changeCookies(id)
        case .hostExited(let id), .hostSpawnFailed(let id):
            // Its last words are heard before its end.
            changeCookies(id)
            hosts[id] = nil
        default: break
        }
    }

    private mutating func changeCookies(_ id: HostID) {
        guard let host = hosts[id], !host.bound.isEmpty, host.cookies == cookies[host.pool, default: 0] else { return }
        cookies[host.pool, default: 0] += 1
        hosts[id]?.cookies = cookies[host.pool]
    }

    // MARK: - What the supervisor wants

    mutating func note(_ action: Action, at now: Instant) {
        demand(finishes == 0, "\(action) after the end", at: now)
        switch action {
        case .spawn(let id, let pool, let role, let warmSlots):
            demand(id > lastHost, "\(id) is used twice", at: now)
            demand(warmSlots >= 0, "\(warmSlots) slots", at: now)
            lastHost = id
            hosts[id] = Entry(pool: pool, role: role)
        case .stop(let id):
            demand([.spawned, .greeted].contains(hosts[id]?.state), "\(action) in vain", at: now)
            hosts[id]?.state = .stopped
        case .kill(let id, _):
            demand(hosts[id] != nil && hosts[id]?.state != .killed, "\(action) in vain", at: now)
            hosts[id]?.state = .killed
            hosts[id]?.killedAt = now
            kills += 1
        case .warm(let id, let count): demand(hosts[id]?.state == .greeted && count >= 0, "\(action) in vain", at: now)
        case .ping(let id, _): demand(hosts[id]?.state == .greeted, "\(action) in vain", at: now)
        case .bind(let binding): note(binding, at: now)
        case .release(let id, let slot):
            demand(hosts[id]?.state == .greeted, "\(action) in vain", at: now)
            demand(hosts[id]?.bound[slot] != nil, "\(action) of a slot that is not bound", at: now)
            hosts[id]?.bound[slot] = nil
        case .incidentOpened(let incident):
            opened += 1
            demand(views.contains(incident.view), "an incident of no view", at: now)
            demand(incidents[incident.view] == nil, "two incidents of \(incident.view)", at: now)
            demand(incident.outcome == nil && incident.openedAt <= now, "an odd incident", at: now)
            incidents[incident.view] = incident.id
        case .incidentClosed(let incident):
            closed += 1
            demand(incidents[incident.view] == incident.id, "another incident of \(incident.view) closed", at: now)
            demand(incident.outcome != nil && incident.closedAt == now, "an incident half closed", at: now)
            demand(incident.outcome != .recovered || incident.attempts > 0, "recovered by nothing", at: now)
            incidents[incident.view] = nil
        case .viewReady(let view, let id, let slot):
            demand(hosts[id]?.bound[slot] == view && incidents[view] == nil, "\(action) is not", at: now)
        case .viewQuarantined(let view, let pause, let failures):
            quarantines += 1
            demand(incidents[view] != nil && pause > .zero && failures > 0, "\(action) is odd", at: now)
        case .viewClosed(let view):
            demand(views.contains(view) && incidents[view] == nil, "\(action) with loose ends", at: now)
            views.remove(view)
        case .finished:
            finishes += 1
            demand(hosts.isEmpty || hosts.values.allSatisfy { $0.state == .killed }, "finished with hosts", at: now)
            demand(incidents.isEmpty, "finished with open incidents", at: now)
        }
    }

    private mutating func note(_ binding: Binding, at now: Instant) {
        binds += 1
        let host = hosts[binding.host]
        demand(host?.state == .greeted && host?.role != nil, "\(binding) to a host that is not ready", at: now)
        demand(host?.warm.contains(binding.slot) == true, "\(binding) to a slot that is not warm", at: now)
        demand(binding.bind > lastBind, "\(binding): its number was used", at: now)
        demand(views.contains(binding.view) || candidate == binding.view, "\(binding) of no view", at: now)
        lastBind = binding.bind
        hosts[binding.host]?.warm.remove(binding.slot)
        hosts[binding.host]?.bound[binding.slot] = binding.view
        let known = host.map { cookies[$0.pool, default: 0] }
        demand(binding.bringsCookies || host?.cookies == known, "\(binding) without the pool's cookies", at: now)
        if binding.bringsCookies { hosts[binding.host]?.cookies = known }
    }

    // MARK: - After each event

    mutating func check(_ machine: Supervisor, after event: Event, at now: Instant) {
        if let candidate, machine.views[candidate] != nil { views.insert(candidate) }
        for (id, entry) in hosts where machine.hosts[id] == nil {
            let isOverdue = entry.killedAt.map { now - $0 >= Supervisor.killTime } ?? false
            demand(isOverdue, "\(id) is forgotten", at: now)
            hosts[id] = nil
        }
        for complaint in machine.inconsistencies(at: now) { demand(false, "after \(event): \(complaint)", at: now) }
        var places: [String: Int] = [:]
        for (id, entry) in hosts {
            // A host that goes is not told what is taken from it meanwhile.
            if entry.state != .greeted { hosts[id]?.bound = machine.hosts[id]?.bound ?? [:] }
        }
        for (id, entry) in hosts {
            for (slot, view) in entry.bound {
                places[view, default: 0] += 1
                demand(machine.hosts[id]?.bound[slot] == view, "after \(event): \(view) is still in \(id)", at: now)
            }
        }
        demand(places.values.allSatisfy { $0 == 1 }, "after \(event): a view in two places", at: now)
        demand(
            views.count == machine.views.count && views.allSatisfy { machine.views[$0] != nil },
            "after \(event): a view got lost", at: now)
    }
}
