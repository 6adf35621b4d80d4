// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

@testable import Supervision

extension Supervisor {
    /// What must never be after an event, found in the machine's own state.
    func inconsistencies(at now: Instant) -> [String] {
        var found: [String] = []
        if let due = nextDeadline, due <= now { found.append("the next deadline lies in the past") }
        if deadlines.count > 2 * hosts.count + 3 * views.count + 2 * pools.count { found.append("too many deadlines") }
        for host in hosts.values { check(host, &found) }
        for view in views.values { check(view, &found) }
        for (name, pool) in pools { check(name, pool, &found) }
        return found
    }

    private func check(_ host: Host, _ found: inout [String]) {
        let id = host.id
        switch host.phase {
        case .starting:
            if deadlines[.hello(id)] == nil, !isShuttingDown { found.append("\(id) may take for ever to say hello") }
            if !host.warm.isEmpty || !host.bound.isEmpty { found.append("\(id) has slots before its hello") }
        case .ready: if deadlines[.ping(id)] == nil { found.append("\(id) is not pinged") }
        case .stopping, .killed:
            if deadlines[.end(id)] == nil { found.append("\(id) may take for ever to end") }
            if !host.warm.isEmpty { found.append("\(id) has slots to give but is going") }
        }
        if Set(host.warm).count != host.warm.count { found.append("\(id) has a slot twice") }
        for (slot, name) in host.bound {
            if host.warm.contains(slot) { found.append("slot \(slot) of \(id) is warm and bound") }
            guard let place = views[name]?.place, place == (id, slot) else {
                found.append("\(id) has \(name) in slot \(slot), which is elsewhere")
                continue
            }
        }
        if isShuttingDown { return }
        switch (host.role, host.phase) {
        case (.active, .starting), (.active, .ready):
            if pools[host.pool]?.active != id { found.append("\(id) is active for no pool") }
        case (.standby, .starting), (.standby, .ready):
            if pools[host.pool]?.standby != id { found.append("\(id) stands by for no pool") }
        case (.curtain(let view), .starting), (.curtain(let view), .ready):
            if views[view]?.curtain != id { found.append("\(id) is the curtain of no view") }
        case (_, .stopping), (_, .killed): break
        }
    }

    private func check(_ view: View, _ found: inout [String]) {
        if isShuttingDown { return }
        let isDue: Bool
        switch view.phase {
        case .curtainFirst: isDue = deadlines[.curtain(view.name)] != nil
        case .pausing, .quarantined: isDue = deadlines[.retry(view.name)] != nil
        case .binding(let host, _, _), .shown(let host, _, _):
            isDue =
                switch hosts[host]?.phase {
                case .ready:
                    if case .binding = view.phase { deadlines[.bind(view.name)] != nil } else { view.incident == nil }
                case .stopping, .killed: true
                case .starting, nil: false
                }
            if let place = view.place, hosts[place.host]?.bound[place.slot] != view.name {
                found.append("\(view.name) is nowhere")
            }
        case .waiting: isDue = isServed(view)
        }
        if !isDue { found.append("\(view.name) is \(view.phase) and waits for nothing") }
        if view.phase == .quarantined, view.incident == nil {
            found.append("\(view.name) is in quarantine for nothing")
        }
    }

    /// Whether something comes that ends the waiting of a view.
    private func isServed(_ view: View) -> Bool {
        guard let pool = pools[view.pool] else { return false }
        guard let active = pool.active, let host = hosts[active] else { return deadlines[.spawn(view.pool)] != nil }
        switch host.phase {
        case .ready:
            return !pool.leaving.isEmpty || (deadlines[.slots(active)] != nil && host.warm.isEmpty)
        case .starting, .killed: return true
        case .stopping: return false
        }
    }

    private func check(_ name: String, _ pool: Pool, _ found: inout [String]) {
        if isShuttingDown { return }
        let waiting = pool.views.filter { views[$0]?.phase == .waiting }
        if Set(waiting) != Set(pool.waiting) || waiting.count != pool.waiting.count {
            found.append("pool \(name) does not know who waits")
        }
        if !pool.views.allSatisfy({ views[$0]?.pool == name }) { found.append("pool \(name) has views of another") }
        if let active = pool.active, hosts[active]?.role != .active { found.append("pool \(name) lost \(active)") }
        if let standby = pool.standby, hosts[standby]?.role != .standby { found.append("pool \(name) lost \(standby)") }
        for host in pool.leaving where hosts[host] == nil || hosts[host]?.phase == .ready {
            found.append("\(host) does not leave")
        }
        if pool.views.isEmpty, pool.isRemoved, pool.active == nil, pool.standby == nil, pool.leaving.isEmpty {
            found.append("pool \(name) was to go")
        }
    }
}
