// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Configuration
import Glibc
import Platform
import Supervision
import Systemd
import Wire

/// What the machine decided, done.
extension Daemon {
    func perform(_ action: Action) {
        switch action {
        case .spawn(let id, let pool, let role, let warmSlots): start(id, pool: pool, role: role, warmSlots: warmSlots)
        case .stop(let id): stop(id)
        case .kill(let id, let reason):
            log("killing \(name(of: id)): \(reason)", .warning, .hostRejected, host: id, [("RELIGHT_CAUSE", reason)])
            kill(id)
        case .warm(let id, let count): send(.warm(count: count), to: id)
        case .bind(let binding): bind(binding)
        case .release(let id, let slot):
            hosts[id]?.bound.remove(slot)
            send(.release(slot: slot), to: id)
        case .ping(let id, let sequence): send(.ping(sequence: sequence), to: id)
        case .incidentOpened(let incident): incidentOpened(incident)
        case .incidentClosed(let incident): incidentClosed(incident)
        case .viewReady(let view, let host, let slot): viewReady(view, host: host, slot: slot)
        case .viewQuarantined(let view, let interval, let failures):
            setState(of: view, .quarantined)
            let pause = text(of: interval)
            log(
                "view \(view) failed \(failures) times and is in quarantine for \(pause)", .error, .viewQuarantined,
                view: view)
            publish("viewQuarantined", view: view, "failed \(failures) times; next attempt in \(pause)")
        case .viewClosed(let view):
            log("view \(view) closed", .info, .viewClosed, view: view)
            publish("viewClosed", view: view, "closed")
            views[view] = nil
            isStatusOld = true
        case .finished: finish()
        }
    }

    private func stop(_ id: HostID) {
        if hosts[id]?.process == nil { kill(id) } else { send(.stop, to: id) }
    }

    private func bind(_ binding: Binding) {
        guard var view = views[binding.view], let pool = pools[view.pool] else { return }
        let state = binding.restoresState ? view.pageState : nil
        view.place = (binding.host, binding.slot)
        views[binding.view] = view
        if view.state != .starting { setState(of: binding.view, .recovering) }
        hosts[binding.host]?.warm.remove(binding.slot)
        hosts[binding.host]?.bound.insert(binding.slot)
        send(
            .bind(
                .init(
                    bind: binding.bind, slot: binding.slot, view: binding.view, url: state?.url ?? view.wantedURL,
                    state: state, cookies: binding.bringsCookies ? pool.cookies : nil,
                    fullscreen: view.settings.fullscreen, output: view.settings.output)),
            to: binding.host)
        if binding.bringsCookies, !pool.cookies.isEmpty {
            log(
                "put \(pool.cookies.count) cookies back for view \(binding.view)", .debug, .cookiesRestored,
                view: binding.view, host: binding.host)
        }
    }

    private func viewReady(_ name: String, host: HostID, slot: Int) {
        let isFirst = views[name]?.state == .starting
        setState(of: name, .ready)
        if isFirst { log("view \(name) is on screen", .info, .viewReady, view: name, host: host) }
        publish("viewReady", view: name, "on screen")
    }

    func setState(of name: String, _ state: Control.ViewState) {
        guard let view = views[name], view.state != state else { return }
        views[name]?.state = state
        views[name]?.since = WallClock.now
        isStatusOld = true
    }

    // MARK: - Incidents

    private func incidentOpened(_ incident: Incident) {
        let host = incident.host.flatMap { hosts[$0] }
        let record = Control.Incident(
            incident, now: now, wallNow: WallClock.now, hostPID: host?.pid,
            contentPID: incident.slot.flatMap { host?.contentPIDs[$0] })
        incidents.update(record)
        views[incident.view]?.incidents += 1
        setState(of: incident.view, .recovering)
        log(
            "view \(incident.view) failed: \(Causes.text(incident.cause)); bringing it back", .warning, .incidentOpened,
            view: incident.view, fields(of: record))
        publish("incidentOpened", view: incident.view, Causes.text(incident.cause), record)
    }

    private func incidentClosed(_ incident: Incident) {
        let known = incidents[incident.id]
        let record = Control.Incident(
            incident, now: now, wallNow: WallClock.now, hostPID: known?.hostPID, contentPID: known?.contentPID)
        incidents.update(record)
        let duration = (incident.closedAt ?? now) - incident.openedAt
        let painted = incident.timeline.last { $0.step == .firstPaint }.map { $0.at - incident.openedAt }
        var message = "view \(incident.view): \(Causes.text(incident.cause)); "
        switch incident.outcome {
        case .recovered, nil:
            message += "back on screen after \(text(of: painted ?? duration)), verified after \(text(of: duration))"
            message += incident.attempts == 1 ? "" : ", \(incident.attempts) attempts"
        case .closed: message += "not recovered, the view was closed after \(text(of: duration))"
        }
        log(message, .notice, .incidentClosed, view: incident.view, fields(of: record))
        publish("incidentClosed", view: incident.view, message, record)
        saveIncident(record)
    }

    private func fields(of incident: Control.Incident) -> [(name: String, value: String)] {
        var fields = [
            ("RELIGHT_INCIDENT", incident.id), ("RELIGHT_CAUSE", incident.cause),
        ]
        if let pid = incident.hostPID { fields.append(("RELIGHT_HOST_PID", "\(pid)")) }
        if let pid = incident.contentPID { fields.append(("RELIGHT_CONTENT_PID", "\(pid)")) }
        guard let closed = incident.closedAt else { return fields }
        fields.append(("RELIGHT_OUTCOME", incident.outcome ?? ""))
        fields.append(("RELIGHT_PATH", incident.path ?? ""))
        fields.append(("RELIGHT_ATTEMPTS", "\(incident.attempts)"))
        fields.append(("RELIGHT_DURATION_USEC", "\(closed > incident.openedAt ? closed - incident.openedAt : 0)"))
        for mark in incident.timeline {
            fields.append(("RELIGHT_STEP", mark.step))
            // The last of a kind counts: a field a step, so that it can be matched and graphed.
            let name = "RELIGHT_" + Causes.fieldName(mark.step) + "_USEC"
            fields.removeAll { $0.0 == name }
            fields.append((name, "\(max(mark.offset, 0))"))
        }
        return fields.map { (name: $0.0, value: $0.1) }
    }

    func text(of interval: Duration) -> String {
        let microseconds = max(interval.microseconds, 0)
        if microseconds < 10_000_000 { return "\((microseconds + 500) / 1000) ms" }
        return "\((microseconds + 500_000) / 1_000_000) s"
    }
}

enum Causes {
    /// A cause in words.
    static func text(_ cause: Incident.Cause) -> String {
        switch cause {
        case .contentCrashed: "its content process died"
        case .memory: "its content process used too much memory"
        case .unresponsive: "it did not answer"
        case .hostExited: "its host died"
        case .networkProcessLost: "its host's network process died"
        case .recoveryFailed: "it could not be shown"
        }
    }

    /// "firstPaint" as a journal field has it: "FIRST_PAINT".
    static func fieldName(_ step: String) -> String {
        step.reduce(into: "") { name, character in
            if character.isUppercase { name += "_" }
            name += character.uppercased()
        }
    }
}
