// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The tables, as the steps that make each version from the one before.
///
/// A new version is a new step at the end; steps that were released never change. A test passes steps of its own.
struct Schema: Sendable {
    /// Says in the file's header whose it is ("Rlit").
    static let applicationID: Int64 = 0x526c_6974

    let steps: [String]

    /// PRAGMA user_version of a file with all steps made.
    var version: Int64 { Int64(steps.count) }

    static let current = Schema(steps: [
        """
        CREATE TABLE cookies (
            id INTEGER PRIMARY KEY,
            pool TEXT NOT NULL, domain TEXT NOT NULL, is_host_only INTEGER NOT NULL, path TEXT NOT NULL,
            name TEXT NOT NULL, is_partitioned INTEGER NOT NULL, partition_key TEXT NOT NULL,
            value TEXT NOT NULL, expires INTEGER, is_secure INTEGER NOT NULL, is_http_only INTEGER NOT NULL,
            same_site TEXT NOT NULL,
            UNIQUE (pool, domain, name, path, is_host_only, is_partitioned, partition_key)
        ) STRICT;
        CREATE TABLE views (
            view TEXT PRIMARY KEY NOT NULL, pool TEXT NOT NULL, url TEXT NOT NULL, saved_at INTEGER NOT NULL,
            state BLOB NOT NULL
        ) STRICT;
        CREATE TABLE incidents (
            id TEXT PRIMARY KEY NOT NULL, view TEXT NOT NULL, opened_at INTEGER NOT NULL, incident BLOB NOT NULL
        ) STRICT;
        CREATE INDEX incidents_by_time ON incidents (opened_at);
        CREATE INDEX incidents_by_view ON incidents (view, opened_at);
        CREATE TABLE incident_counts (view TEXT PRIMARY KEY NOT NULL, count INTEGER NOT NULL) STRICT;
        """
    ])

    /// Brings a new or an older file to this version, all steps or none.
    func migrate(_ database: borrowing Database, from version: Int64) throws(StoreError) {
        try database.execute("BEGIN IMMEDIATE")
        do {
            for step in steps.dropFirst(Int(version)) { try database.run(step, "cannot write") }
            try database.run("PRAGMA application_id=\(Self.applicationID)", "cannot write")
            try database.run("PRAGMA user_version=\(self.version)", "cannot write")
            try database.execute("COMMIT")
        } catch {
            // It may have been rolled back already; then this fails, and nothing is left to do.
            try? database.execute("ROLLBACK")
            throw error
        }
    }
}
