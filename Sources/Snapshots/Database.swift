// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CSQLite

/// An open SQLite database; closed when it is dropped. Used by one thread at a time.
struct Database: ~Copyable {
    let path: String
    private let handle: OpaquePointer

    /// Opens or makes it, readable and writable.
    init(path: String) throws(StoreError) {
        self.handle = try Self.open(path)
        self.path = path
    }

    private static func open(_ path: String) throws(StoreError) -> OpaquePointer {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let result = sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK, let handle else {
            let errno = handle.map { sqlite3_system_errno($0) } ?? 0
            let code = handle.map { sqlite3_extended_errcode($0) } ?? result
            sqlite3_close_v2(handle)
            throw StoreError(sqlite: code, errno: errno, "cannot open", path)
        }
        sqlite3_extended_result_codes(handle, 1)
        // An older relightd may just be dying.
        sqlite3_busy_timeout(handle, 2000)
        relight_sqlite_harden(handle)
        // A file that turns out not to be ours is not to be changed.
        relight_sqlite_checkpoint_on_close(handle, 0)
        // SQLite falls back to reading without a word.
        if sqlite3_db_readonly(handle, "main") == 1 {
            sqlite3_close_v2(handle)
            throw StoreError(sqlite: SQLITE_READONLY, errno: 0, "cannot write", path)
        }
        return handle
    }

    /// Closing moves the log into the main file from now on.
    func adopt() { relight_sqlite_checkpoint_on_close(handle, 1) }

    // Statements that are still alive keep it open until they are dropped too (sqlite3_close_v2).
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements without parameters or results.
    func execute(_ sql: StaticString, _ action: String = "cannot write") throws(StoreError) {
        try run("\(sql)", action)
    }

    /// As `execute`, for text of the schema.
    func run(_ sql: String, _ action: String) throws(StoreError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, action) }
    }

    func prepare(_ sql: String) throws(StoreError) -> Statement {
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let statement else { throw error(result, "cannot read") }
        return Statement(owning: statement, path: path)
    }

    /// The first column of the first row.
    func text(_ sql: String) throws(StoreError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    func integer(_ sql: String) throws(StoreError) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Does all of `body` or nothing; on stable storage when it returns.
    func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
            try execute("COMMIT")
        } catch {
            // Some failures have rolled back by themselves (https://www.sqlite.org/lang_transaction.html).
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    private func error(_ result: Int32, _ action: String) -> StoreError {
        StoreError(sqlite: result, errno: sqlite3_system_errno(handle), action, path)
    }
}

/// A prepared statement; finalized when it is dropped. Parameters count from 1, columns from 0.
struct Statement: ~Copyable {
    private let handle: OpaquePointer
    private let path: String

    fileprivate init(owning handle: OpaquePointer, path: String) {
        self.handle = handle
        self.path = path
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ index: Int32, _ text: String) throws(StoreError) {
        var text = text
        try check(
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { chars in
                    // An empty buffer may have no address, and NULL would bind NULL.
                    if let base = chars.baseAddress {
                        relight_sqlite_bind_text(handle, index, base, sqlite3_uint64(chars.count))
                    } else {
                        relight_sqlite_bind_text(handle, index, "", 0)
                    }
                }
            })
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) throws(StoreError) {
        try check(
            bytes.withUnsafeBytes { buffer in
                if let base = buffer.baseAddress, buffer.count > 0 {
                    relight_sqlite_bind_blob(handle, index, base, sqlite3_uint64(buffer.count))
                } else {
                    sqlite3_bind_zeroblob(handle, index, 0)
                }
            })
    }

    func bind(_ index: Int32, _ value: Int64?) throws(StoreError) {
        if let value {
            try check(sqlite3_bind_int64(handle, index, value))
        } else {
            try check(sqlite3_bind_null(handle, index))
        }
    }

    func bind(_ index: Int32, _ value: Bool) throws(StoreError) { try bind(index, value ? 1 : 0) }

    /// The next row; false after the last.
    func step() throws(StoreError) -> Bool {
        let result = sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error(result)
        }
    }

    /// Runs a statement that gives no rows, with what is bound, and forgets what was bound.
    func run() throws(StoreError) {
        defer { reset() }
        _ = try step()
    }

    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    func bool(_ column: Int32) -> Bool { integer(column) != 0 }
    func optionalInteger(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
    }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    private func check(_ result: Int32) throws(StoreError) {
        if result != SQLITE_OK { throw error(result) }
    }

    private func error(_ result: Int32) -> StoreError {
        StoreError(
            sqlite: result, errno: sqlite3_system_errno(sqlite3_db_handle(handle)),
            sqlite3_stmt_readonly(handle) == 0 ? "cannot write" : "cannot read", path)
    }
}
