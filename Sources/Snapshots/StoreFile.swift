// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Platform
import Glibc

/// The database's file: where it lies, who may read it, and how a bad one makes room for a new one.
struct StoreFile {
    static let name = "snapshots.sqlite"
    /// How many set aside databases are kept, the newest ones.
    static let keptAside = 3

    let directory: String
    private(set) var notices: [StoreNotice] = []
    var path: String { "\(directory)/\(Self.name)" }

    init(directory: String) {
        self.directory = directory
    }

    /// Opens the database, in whatever state it is found.
    ///
    /// - Throws: where a new database could not be made either, or where the present one is another process's.
    mutating func open(schema: Schema) throws(StoreError) -> Connection {
        try prepareDirectory()
        try prepareFile()
        switch try connect(schema) {
        case .opened(let connection): return connection
        case .unusable(let kind, let why): try setAside(kind, why)
        }
        try prepareFile()
        switch try connect(schema) {
        case .opened(let connection): return connection
        case .unusable(_, let why):
            throw StoreError(.damaged, "cannot use", path, reason: "the new file \(why) at once")
        }
    }

    private enum Attempt {
        case opened(Connection)
        /// The file has to make room.
        case unusable(StoreNotice.Kind, String)
    }

    private func connect(_ schema: Schema) throws(StoreError) -> Attempt {
        do {
            let database = try Database(path: path)
            // One process only: needs no shared memory file, and a second relightd is told so.
            try database.execute("PRAGMA locking_mode=EXCLUSIVE")
            let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
            let owner = try database.integer("PRAGMA application_id")
            let version = try database.integer("PRAGMA user_version")
            if tables != 0 || owner != 0 || version != 0 {
                guard owner == Schema.applicationID else { return .unusable(.foreign, "is another program's database") }
                guard version <= schema.version else {
                    return .unusable(
                        .newer, "has version \(version), of a later relightd; this one reads up to \(schema.version)")
                }
                guard version > 0, try database.text("PRAGMA integrity_check(1)") == "ok" else {
                    return .unusable(.damaged, "is damaged")
                }
            }
            // Before the first table is made; later it would only cost a write.
            if version == 0 { try database.execute("PRAGMA auto_vacuum=INCREMENTAL") }
            try configure(database)
            if version < schema.version { try schema.migrate(database, from: version) }
            let connection = try Connection(database)
            connection.database.adopt()
            return .opened(connection)
        } catch  where error.code == .damaged {
            return .unusable(.damaged, "is damaged")
        }
    }

    /// Every commit is on stable storage when it returns; the file and its log stay small.
    private func configure(_ database: borrowing Database) throws(StoreError) {
        guard try database.text("PRAGMA journal_mode=WAL") == "wal" else {
            throw StoreError(.other, "cannot write", path, reason: "SQLite keeps no write-ahead log here")
        }
        try database.execute("PRAGMA synchronous=FULL")
        try database.execute("PRAGMA wal_autocheckpoint=1000")
        try database.execute("PRAGMA journal_size_limit=4194304")
        try database.execute("PRAGMA secure_delete=FAST")
        try database.execute("PRAGMA cache_size=-1024")
        try database.execute("PRAGMA cell_size_check=ON")
        try database.execute("PRAGMA temp_store=MEMORY")
    }

    // MARK: - The file system

    private mutating func prepareDirectory() throws(StoreError) {
        var made = ""
        for part in directory.split(separator: "/") {
            made += directory.hasPrefix("/") || !made.isEmpty ? "/\(part)" : String(part)
            if mkdir(made, 0o700) != 0, errno != EEXIST {
                // On a read-only file system mkdir says so of directories that exist, too, on some kernels.
                let code = errno
                var found = stat()
                guard stat(made, &found) == 0 else { throw StoreError(errno: code, "cannot make directory", made) }
            }
        }
        var found = stat()
        guard stat(directory, &found) == 0 else { throw StoreError(errno: errno, "cannot read", directory) }
        guard found.st_mode & S_IFMT == S_IFDIR else { throw StoreError(errno: ENOTDIR, "cannot use", directory) }
        restrict(directory, found, to: 0o700)
    }

    /// Makes the file where there is none; SQLite gives its log the same mode.
    private mutating func prepareFile() throws(StoreError) {
        var found = stat()
        if lstat(path, &found) != 0 {
            guard errno == ENOENT else { throw StoreError(errno: errno, "cannot read", path) }
            // A log without its database belongs to one that is gone, and would be read into the new one.
            try moveAway(suffixes: ["-wal", "-shm", "-journal"], to: freeName("stray"))
            let fd = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard fd >= 0 else { throw StoreError(errno: errno, "cannot make", path) }
            close(fd)
            return
        }
        guard found.st_mode & S_IFMT == S_IFREG else {
            try setAside(.foreign, "is no regular file")
            return try prepareFile()
        }
        // SQLite takes some stumps of a header for a new database.
        if 1..<100 ~= found.st_size {
            try setAside(.damaged, "is damaged")
            return try prepareFile()
        }
        if found.st_size == 0 {
            notices.append(StoreNotice(.empty, path, "\(path) is empty; beginning without cookies and page states"))
        }
        restrict(path, found, to: 0o600)
    }

    private mutating func restrict(_ path: String, _ found: stat, to mode: mode_t) {
        guard found.st_mode & 0o077 != 0 else { return }
        let present = String(found.st_mode & 0o7777, radix: 8)
        let result = chmod(path, mode) == 0 ? "made it \(String(mode, radix: 8))" : SystemError.text(of: errno)
        notices.append(
            StoreNotice(.mode, path, "\(path) holds secrets and had mode \(present), open to others: \(result)"))
    }

    private mutating func setAside(_ kind: StoreNotice.Kind, _ why: String) throws(StoreError) {
        let target = freeName("\(kind)")
        try moveAway(suffixes: ["", "-wal", "-shm", "-journal"], to: target)
        notices.append(
            StoreNotice(
                kind, path, setAside: target,
                "\(path) \(why); it was moved to \(target), and a new one is begun without cookies and page states"))
        removeOldest()
    }

    private func moveAway(suffixes: [String], to target: String) throws(StoreError) {
        for suffix in suffixes where rename(path + suffix, target + suffix) != 0 && errno != ENOENT {
            throw StoreError(errno: errno, "cannot set aside", path + suffix)
        }
    }

    /// "snapshots.sqlite.damaged-20250131T235959Z", with a number if that is taken.
    private func freeName(_ kind: String) -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        func digits(_ value: Int32, _ count: Int = 2) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date = digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1) + digits(parts.tm_mday)
        let clock = digits(parts.tm_hour) + digits(parts.tm_min) + digits(parts.tm_sec)
        let name = "\(path).\(kind)-\(date)T\(clock)Z"
        var found = stat()
        var number = 2
        var free = name
        while ["", "-wal", "-shm", "-journal"].contains(where: { lstat(free + $0, &found) == 0 }) {
            free = "\(name)-\(number)"
            number += 1
        }
        return free
    }

    /// A disk that damages the file again and again must not be filled by that.
    private mutating func removeOldest() {
        var aside: [(name: String, at: timespec)] = []
        guard let stream = opendir(directory) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix("\(Self.name)."), !name.hasSuffix("-wal"), !name.hasSuffix("-shm"),
                !name.hasSuffix("-journal")
            else { continue }
            var found = stat()
            if lstat("\(directory)/\(name)", &found) == 0 { aside.append((name, found.st_ctim)) }
        }
        // Renaming sets the time of the last status change.
        aside.sort { ($0.at.tv_sec, $0.at.tv_nsec, $0.name) > ($1.at.tv_sec, $1.at.tv_nsec, $1.name) }
        for old in aside.dropFirst(Self.keptAside) {
            let path = "\(directory)/\(old.name)"
            for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
            // A directory in the database's place cannot be unlinked; it stays.
            if unlink(path) == 0 {
                notices.append(
                    StoreNotice(.removed, path, "\(path) was removed; the newest \(Self.keptAside) are kept"))
            }
        }
    }
}
