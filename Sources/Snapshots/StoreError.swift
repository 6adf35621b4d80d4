// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Platform
import CSQLite
import Glibc

/// Why the store could not do something: on which file, why, and what a person can do about it. Equal if the code is.
///
/// Holds no values of what is stored, which are secrets.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// The file system or the quota is full.
        case noSpace
        /// The file system is mounted read-only, or the file is.
        case readOnly
        /// The user that runs this may not.
        case notPermitted
        /// Another process has the database open.
        case inUse
        /// A read, a write or a sync failed, or a directory is missing.
        case inputOutput
        /// The database was damaged while it was open.
        case damaged
        /// More than the store keeps.
        case limitReached
        /// `close()` was called before.
        case closed
        case other
    }

    package let code: Code
    /// What was being done: "cannot write".
    package let action: String
    package let path: String
    package let reason: String
    /// What can be done about it, as a sentence.
    package let remedy: String

    package var description: String { "\(action) \(path): \(reason). \(remedy)" }
}

extension StoreError: Equatable {
    package static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
}

extension StoreError {
    init(_ code: Code, _ action: String, _ path: String, reason: String, remedy: String? = nil) {
        self.init(code: code, action: action, path: path, reason: reason, remedy: remedy ?? code.remedy(path))
    }

    init(errno code: Int32, _ action: String, _ path: String) {
        self.init(Code(errno: code) ?? .inputOutput, action, path, reason: SystemError.text(of: code))
    }

    /// From an extended result code of SQLite; `errno` is that of the system call behind it, 0 if there is none.
    ///
    /// The text is SQLite's fixed one for the code: that of sqlite3_errmsg could quote.
    init(sqlite result: Int32, errno: Int32, _ action: String, _ path: String) {
        let code = Code(sqlite: result, errno: errno)
        let text = sqlite3_errstr(result).map { String(cString: $0) } ?? "error \(result)"
        // SQLite forgets the errno of a full disk.
        let number = code == .noSpace && errno == 0 ? ENOSPC : errno
        let cause = number != 0 && code.isOfTheSystem ? SystemError.text(of: number) : text
        self.init(code, action, path, reason: cause)
    }
}

extension StoreError.Code {
    fileprivate init?(errno: Int32) {
        switch errno {
        case ENOSPC, EDQUOT: self = .noSpace
        case EROFS: self = .readOnly
        case EACCES, EPERM: self = .notPermitted
        default: return nil
        }
    }

    fileprivate init(sqlite result: Int32, errno: Int32) {
        // The low byte is the primary code, the rest says more (https://www.sqlite.org/rescode.html).
        switch result & 0xff {
        case SQLITE_FULL: self = .noSpace
        case SQLITE_READONLY: self = .readOnly
        case SQLITE_PERM, SQLITE_AUTH: self = .notPermitted
        case SQLITE_BUSY, SQLITE_LOCKED: self = .inUse
        // SQLITE_ERROR: a table or column is missing.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: self = .damaged
        case SQLITE_TOOBIG: self = .limitReached
        case SQLITE_IOERR, SQLITE_CANTOPEN: self = Self(errno: errno) ?? .inputOutput
        default: self = .other
        }
    }

    fileprivate var isOfTheSystem: Bool {
        switch self {
        case .noSpace, .readOnly, .notPermitted, .inputOutput: true
        case .inUse, .damaged, .limitReached, .closed, .other: false
        }
    }

    fileprivate func remedy(_ path: String) -> String {
        switch self {
        case .noSpace: "Free some space there; storing goes on by itself, and nothing stored before is lost"
        case .readOnly: "Mount the file system writable, or name another state directory"
        case .notPermitted: "Let the user that runs relightd own the state directory"
        case .inUse: "Stop the other relightd that uses this state directory, or name another one"
        case .inputOutput: "Look for errors of the disk in the kernel's log (journalctl -k)"
        case .damaged: "Restart relightd: it sets the file aside and begins a new one"
        case .limitReached: "Something sets or keeps more than any page should need"
        case .closed: "The store was closed before"
        case .other: "This is a fault in relightd; please report it"
        }
    }
}

/// Something that opening a store found and dealt with, for the journal.
package struct StoreNotice: Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// The file was no intact database.
        case damaged
        /// It was of another program, or no file at all.
        case foreign
        /// It was written by a later version of relightd.
        case newer
        /// It was empty.
        case empty
        /// A directory's or file's mode let others in.
        case mode
        /// Single entries could not be read.
        case skipped
        /// An old database that had been set aside was removed, since only a few are kept.
        case removed
    }

    package let kind: Kind
    package let path: String
    /// Where the old file went, if it was moved.
    package let setAside: String?
    package let description: String

    init(_ kind: Kind, _ path: String, setAside: String? = nil, _ description: String) {
        self.kind = kind
        self.path = path
        self.setAside = setAside
        self.description = description
    }
}
