// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Supervision
import Wire

/// The newest incidents, open ones included, as people ask for them.
struct IncidentLog {
    static let limit = 1000
    private var order: [String] = []
    private var byID: [String: Control.Incident] = [:]

    mutating func restore(_ incidents: [Control.Incident]) {
        for incident in incidents.sorted(by: { $0.openedAt < $1.openedAt }) { update(incident) }
    }

    mutating func update(_ incident: Control.Incident) {
        if byID.updateValue(incident, forKey: incident.id) == nil { order.append(incident.id) }
        if order.count > Self.limit { byID[order.removeFirst()] = nil }
    }

    subscript(id: String) -> Control.Incident? { byID[id] }

    /// The newest first.
    func newest(of view: String?) -> [Control.Incident] {
        order.reversed().compactMap { byID[$0] }.filter { view == nil || $0.view == view }
    }
}

extension Control.Incident {
    /// `now` and `wallNow` are the same moment, on the monotonic clock and on the wall's.
    init(_ incident: Incident, now: Instant, wallNow: UInt64, hostPID: Int32?, contentPID: Int32?) {
        func wall(_ instant: Instant) -> UInt64 {
            UInt64(clamping: Int64(clamping: wallNow) - (now - instant).microseconds)
        }
        self.init(
            id: incident.id, view: incident.view, pool: incident.pool, cause: incident.cause.rawValue,
            openedAt: wall(incident.openedAt), closedAt: incident.closedAt.map(wall),
            outcome: incident.outcome?.rawValue, path: incident.path?.rawValue, hostPID: hostPID,
            contentPID: contentPID, attempts: incident.attempts,
            timeline: incident.timeline.map {
                Mark(step: $0.step.rawValue, offset: ($0.at - incident.openedAt).microseconds, detail: $0.detail)
            })
    }
}
