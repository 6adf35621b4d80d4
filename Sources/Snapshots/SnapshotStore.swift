// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Cookies
package import Wire

/// What is needed to bring views back, on disk: cookies by pool, page state by view, and the newest incidents.
///
/// One SQLite database in the state directory, readable by its owner alone, open in one process at a time. The actor
/// runs on a thread of its own, so that waiting for the disk holds up nobody else. A change that is waiting while
/// others are being written goes into the next transaction with all that came meanwhile.
package actor SnapshotStore {
    private struct Waiting {
        let write: Write
        let done: CheckedContinuation<Result<Void, StoreError>, Never>
    }

    private let thread: StoreThread
    package nonisolated let path: String
    /// nil once closed.
    private var connection: Connection?
    private var waiting: [Waiting] = []
    /// Transactions committed so far.
    package private(set) var commits = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Opens the store in a directory, which is made if need be; blocks while it checks the file.
    ///
    /// A database that is damaged, foreign or of a later version is moved aside under a dated name, and a new one is
    /// begun; the notices say so.
    ///
    /// - Throws: where the directory cannot be used, or another process has the database open.
    package static func open(directory: String) throws(StoreError) -> (SnapshotStore, [StoreNotice]) {
        try open(directory: directory, schema: .current)
    }

    static func open(directory: String, schema: Schema) throws(StoreError) -> (SnapshotStore, [StoreNotice]) {
        var file = StoreFile(directory: directory)
        let store = try SnapshotStore(&file, schema: schema)
        return (store, file.notices)
    }

    private init(_ file: inout StoreFile, schema: Schema) throws(StoreError) {
        path = file.path
        connection = try file.open(schema: schema)
        do {
            thread = try StoreThread()
        } catch {
            throw StoreError(errno: error.errno, "cannot start a thread for", file.path)
        }
    }

    /// Moves everything into the main file and closes it. What comes later is refused; closing twice is no error.
    ///
    /// - Throws: if the log could not be moved; what was stored is safe in the log, and the store is closed.
    package func close() async throws(StoreError) {
        commit()
        guard let connection else { return }
        self.connection = nil
        try connection.database.execute("PRAGMA incremental_vacuum")
        try connection.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    // MARK: - Reading

    /// Everything but the incidents.
    package func load() async throws(StoreError) -> StoredState { try opened().database.load() }

    /// The newest first; of one view, or of all.
    package func incidents(view: String? = nil) async throws(StoreError) -> [Control.Incident] {
        try opened().database.incidents(view: view)
    }

    private func opened() throws(StoreError) -> Connection {
        guard let connection else { throw StoreError(.closed, "cannot use", path, reason: "the store is closed") }
        return connection
    }

    // MARK: - Writing; each returns when the change is on stable storage

    /// Changes the cookies of a pool.
    package func apply(_ changes: CookieChanges, pool: String) async throws(StoreError) {
        guard !changes.isEmpty else { return }
        try await write(.cookies(changes, pool: pool))
    }

    /// Replaces the page state of a view. `wanted` is the URL that the view was told to show, where the page's own is
    /// another by now; `savedAt` counts microseconds since 1970.
    package func save(
        view: String, pool: String, wanted: String? = nil, state: PageState, at savedAt: UInt64
    ) async throws(StoreError) {
        let encoded = try encode(state)
        guard encoded.count <= StoreLimit.pageState else {
            throw StoreError(
                .limitReached, "cannot store the page state of '\(view)' in", path,
                reason: "it has \(encoded.count) bytes, more than \(StoreLimit.pageState)")
        }
        try await write(.view(view, pool: pool, url: wanted ?? state.url, savedAt: savedAt, state: encoded))
    }

    /// Forgets the page state of a view that was closed; its incidents stay.
    package func remove(view: String) async throws(StoreError) { try await write(.removeView(view)) }

    /// Forgets the cookies of a pool, and its views.
    package func dropPool(_ pool: String) async throws(StoreError) { try await write(.dropPool(pool)) }

    /// Adds an incident, or replaces the one with the same ID; the newest `StoreLimit.incidents` are kept.
    package func record(incident: Control.Incident) async throws(StoreError) {
        try await write(.incident(incident, encoded: encode(incident)))
    }

    private func encode(_ value: some Encodable) throws(StoreError) -> [UInt8] {
        do {
            return try JSON.encode(value)
        } catch {
            throw StoreError(.other, "cannot write", path, reason: error.description)
        }
    }

    private func write(_ write: Write) async throws(StoreError) {
        let result = await withCheckedContinuation { done in
            waiting.append(Waiting(write: write, done: done))
            // This job comes after all that wait for the thread by now, so it finds their changes here, too.
            if waiting.count == 1 { Task { commit() } }
        }
        try result.get()
    }

    /// Writes all that waits in one transaction. If that fails, each change is tried alone: one that cannot be written
    /// must not take others with it.
    private func commit() {
        let group = waiting
        waiting = []
        guard !group.isEmpty else { return }
        let result = transact(group.map(\.write))
        if group.count > 1, case .failure = result {
            for one in group { one.done.resume(returning: transact([one.write])) }
        } else {
            for one in group { one.done.resume(returning: result) }
        }
    }

    private func transact(_ writes: [Write]) -> Result<Void, StoreError> {
        do throws(StoreError) {
            let connection = try opened()
            try connection.database.transaction { () throws(StoreError) in
                for write in writes { try connection.writer.perform(write) }
            }
            commits += 1
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
