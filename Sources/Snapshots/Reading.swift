// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Wire

extension Database {
    /// Everything but the incidents. An entry that cannot be read is left out and counted in a notice.
    func load() throws(StoreError) -> StoredState {
        var state = StoredState()
        try loadCookies(into: &state)
        try loadIncidentCounts(into: &state)
        try loadViews(into: &state)
        return state
    }

    private func loadCookies(into state: inout StoredState) throws(StoreError) {
        let rows = try prepare(
            """
            SELECT pool, domain, is_host_only, path, name, is_partitioned, partition_key, value, expires, is_secure,
                is_http_only, same_site
            FROM cookies ORDER BY id
            """)
        var skipped = 0
        while try rows.step() {
            guard let sameSite = Cookie.SameSite(rawValue: rows.text(11)) else {
                skipped += 1
                continue
            }
            let cookie = Cookie(
                name: rows.text(4), value: rows.text(7), domain: rows.text(1), isHostOnly: rows.bool(2),
                path: rows.text(3), expires: rows.optionalInteger(8), isSecure: rows.bool(9),
                isHTTPOnly: rows.bool(10), sameSite: sameSite, partitionKey: rows.bool(5) ? rows.text(6) : nil)
            state.cookies[rows.text(0), default: []].append(cookie)
        }
        if skipped > 0 {
            state.notices.append(
                StoreNotice(.skipped, path, "\(path): \(skipped) cookies cannot be read, ignoring them"))
        }
    }

    private func loadIncidentCounts(into state: inout StoredState) throws(StoreError) {
        let rows = try prepare("SELECT view, count FROM incident_counts")
        while try rows.step() { state.incidentCounts[rows.text(0)] = Int(clamping: rows.integer(1)) }
    }

    private func loadViews(into state: inout StoredState) throws(StoreError) {
        let rows = try prepare("SELECT view, pool, url, saved_at, state FROM views")
        while try rows.step() {
            let view = rows.text(0)
            let page = try? JSON.decode(PageState.self, from: rows.bytes(4))
            if page == nil {
                state.notices.append(
                    StoreNotice(.skipped, path, "\(path): the page state of '\(view)' cannot be read, ignoring it"))
            }
            state.views[view] = StoredView(
                pool: rows.text(1), url: rows.text(2), state: page, savedAt: UInt64(clamping: rows.integer(3)),
                incidents: state.incidentCounts[view] ?? 0)
        }
    }

    /// The newest first; of one view, or of all.
    func incidents(view: String?) throws(StoreError) -> [Control.Incident] {
        let rows =
            if view == nil {
                try prepare("SELECT incident FROM incidents ORDER BY opened_at DESC, rowid DESC")
            } else {
                try prepare("SELECT incident FROM incidents WHERE view = ?1 ORDER BY opened_at DESC, rowid DESC")
            }
        if let view { try rows.bind(1, view) }
        var incidents: [Control.Incident] = []
        while try rows.step() {
            if let incident = try? JSON.decode(Control.Incident.self, from: rows.bytes(0)) {
                incidents.append(incident)
            }
        }
        return incidents
    }
}
