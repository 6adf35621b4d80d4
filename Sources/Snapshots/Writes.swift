// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Wire

/// One change of what is stored.
enum Write: Sendable {
    case cookies(CookieChanges, pool: String)
    case view(String, pool: String, url: String, savedAt: UInt64, state: [UInt8])
    case removeView(String)
    case dropPool(String)
    case incident(Control.Incident, encoded: [UInt8])
}

/// What a store keeps at most.
package enum StoreLimit {
    package static let cookiesPerPool = 20_000
    /// Bytes of one page state as JSON.
    package static let pageState = 24 << 20
    /// The newest incidents of all views together.
    package static let incidents = 1_000
}

/// An open database with its statements.
final class Connection {
    let database: Database
    let writer: Writer

    init(_ database: consuming Database) throws(StoreError) {
        writer = try Writer(database)
        self.database = database
    }
}

/// The statements that make changes, ready to run.
final class Writer {
    private let path: String
    private let setCookie: Statement
    private let deleteCookie: Statement
    private let countCookies: Statement
    private let saveView: Statement
    private let removeView: Statement
    private let removeCount: Statement
    private let dropCookies: Statement
    private let dropCounts: Statement
    private let dropViews: Statement
    private let findIncident: Statement
    private let saveIncident: Statement
    private let countIncident: Statement
    private let trimIncidents: Statement

    init(_ database: borrowing Database) throws(StoreError) {
        path = database.path
        setCookie = try database.prepare(
            """
            INSERT INTO cookies (pool, domain, is_host_only, path, name, is_partitioned, partition_key, value, expires,
                is_secure, is_http_only, same_site)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            ON CONFLICT DO UPDATE SET value = ?8, expires = ?9, is_secure = ?10, is_http_only = ?11, same_site = ?12
            """)
        deleteCookie = try database.prepare(
            """
            DELETE FROM cookies WHERE pool = ?1 AND domain = ?2 AND is_host_only = ?3 AND path = ?4 AND name = ?5
                AND is_partitioned = ?6 AND partition_key = ?7
            """)
        countCookies = try database.prepare("SELECT count(*) FROM cookies WHERE pool = ?1")
        saveView = try database.prepare(
            """
            INSERT INTO views (view, pool, url, saved_at, state) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT DO UPDATE SET pool = ?2, url = ?3, saved_at = ?4, state = ?5
            """)
        removeView = try database.prepare("DELETE FROM views WHERE view = ?1")
        removeCount = try database.prepare("DELETE FROM incident_counts WHERE view = ?1")
        dropCookies = try database.prepare("DELETE FROM cookies WHERE pool = ?1")
        dropCounts = try database.prepare(
            "DELETE FROM incident_counts WHERE view IN (SELECT view FROM views WHERE pool = ?1)")
        dropViews = try database.prepare("DELETE FROM views WHERE pool = ?1")
        findIncident = try database.prepare("SELECT 1 FROM incidents WHERE id = ?1")
        saveIncident = try database.prepare(
            """
            INSERT INTO incidents (id, view, opened_at, incident) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET view = ?2, opened_at = ?3, incident = ?4
            """)
        countIncident = try database.prepare(
            "INSERT INTO incident_counts VALUES (?1, 1) ON CONFLICT DO UPDATE SET count = count + 1")
        trimIncidents = try database.prepare(
            "DELETE FROM incidents WHERE id IN (SELECT id FROM incidents ORDER BY opened_at DESC LIMIT -1 OFFSET ?1)")
    }

    /// Makes one change, within a transaction of the caller's.
    func perform(_ write: Write) throws(StoreError) {
        switch write {
        case .cookies(let changes, let pool): try apply(changes, pool: pool)
        case .view(let view, let pool, let url, let savedAt, let state):
            try saveView.bind(1, view)
            try saveView.bind(2, pool)
            try saveView.bind(3, url)
            try saveView.bind(4, Int64(clamping: savedAt))
            try saveView.bind(5, state)
            try saveView.run()
        case .removeView(let view):
            try removeView.bind(1, view)
            try removeView.run()
            try removeCount.bind(1, view)
            try removeCount.run()
        case .dropPool(let pool):
            try dropCookies.bind(1, pool)
            try dropCookies.run()
            try dropCounts.bind(1, pool)
            try dropCounts.run()
            try dropViews.bind(1, pool)
            try dropViews.run()
        case .incident(let incident, let encoded): try record(incident, encoded)
        }
    }

    private func apply(_ changes: CookieChanges, pool: String) throws(StoreError) {
        for identity in changes.deleted {
            try bind(identity, pool, to: deleteCookie)
            try deleteCookie.run()
        }
        for cookie in changes.set {
            try bind(cookie.identity, pool, to: setCookie)
            try setCookie.bind(8, cookie.value)
            try setCookie.bind(9, cookie.expires)
            try setCookie.bind(10, cookie.isSecure)
            try setCookie.bind(11, cookie.isHTTPOnly)
            try setCookie.bind(12, cookie.sameSite.rawValue)
            try setCookie.run()
        }
        guard !changes.set.isEmpty else { return }
        try countCookies.bind(1, pool)
        defer { countCookies.reset() }
        if try countCookies.step(), countCookies.integer(0) > StoreLimit.cookiesPerPool {
            throw StoreError(
                .limitReached, "cannot store more cookies in", path,
                reason: "pool '\(pool)' would have more than \(StoreLimit.cookiesPerPool)")
        }
    }

    /// Parameters 1 to 7 of both cookie statements, which thus number them alike.
    private func bind(
        _ identity: Cookie.Identity, _ pool: String, to statement: borrowing Statement
    ) throws(StoreError) {
        try statement.bind(1, pool)
        try statement.bind(2, identity.domain)
        try statement.bind(3, identity.isHostOnly)
        try statement.bind(4, identity.path)
        try statement.bind(5, identity.name)
        try statement.bind(6, identity.partitionKey != nil)
        try statement.bind(7, identity.partitionKey ?? "")
    }

    private func record(_ incident: Control.Incident, _ encoded: [UInt8]) throws(StoreError) {
        try findIncident.bind(1, incident.id)
        let isKnown = try findIncident.step()
        findIncident.reset()
        try saveIncident.bind(1, incident.id)
        try saveIncident.bind(2, incident.view)
        try saveIncident.bind(3, Int64(clamping: incident.openedAt))
        try saveIncident.bind(4, encoded)
        try saveIncident.run()
        guard !isKnown else { return }
        try countIncident.bind(1, incident.view)
        try countIncident.run()
        try trimIncidents.bind(1, Int64(StoreLimit.incidents))
        try trimIncidents.run()
    }
}
