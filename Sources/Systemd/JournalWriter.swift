// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import CSystemd
internal import Glibc
internal import Synchronization

/// Writes entries to the journal, or where there is none to standard error. Any thread.
package final class JournalWriter: Sendable {
    private enum Destination: Sendable {
        /// The journal while its socket is there, standard error otherwise.
        case automatic
        case descriptor(Int32)
        case memory
    }

    private static let socketPath = "/run/systemd/journal/socket"

    private let destination: Destination
    private let identifier: String?
    /// What the memory writer holds.
    private let memory = Mutex<[JournalEntry]>([])

    private init(_ destination: Destination, identifier: String?) {
        self.destination = destination
        self.identifier = identifier
    }

    /// A writer to the journal if there is one, and to standard error otherwise. The identifier, the program's name, is
    /// each entry's SYSLOG_IDENTIFIER.
    package static func automatic(identifier: String) -> JournalWriter {
        JournalWriter(.automatic, identifier: identifier)
    }

    /// A writer of lines to a descriptor, which stays the caller's.
    package static func lines(to descriptor: Int32) -> JournalWriter {
        JournalWriter(.descriptor(descriptor), identifier: nil)
    }

    /// A writer that keeps what it is given, for tests: see `captured`.
    package static func capturing() -> JournalWriter { JournalWriter(.memory, identifier: nil) }

    /// Everything that a capturing writer was given.
    package var captured: [JournalEntry] { memory.withLock { $0 } }

    /// Writes one entry. What the journal does not take goes to standard error; fields with names that the journal would
    /// refuse are left out and named in RELIGHT_BAD_FIELD.
    package func write(_ entry: JournalEntry) {
        var entry = entry
        let bad = entry.fields.filter { !JournalEntry.isValidFieldName($0.name) }.map(\.name)
        if !bad.isEmpty {
            entry.fields.removeAll { !JournalEntry.isValidFieldName($0.name) }
            entry.fields.append(("RELIGHT_BAD_FIELD", bad.joined(separator: " ")))
        }
        switch destination {
        case .memory: memory.withLock { $0.append(entry) }
        case .descriptor(let descriptor): Self.write(entry.line, to: descriptor)
        case .automatic:
            if access(Self.socketPath, W_OK) == 0, send(entry) { return }
            Self.write(entry.line, to: STDERR_FILENO)
        }
    }

    private func send(_ entry: JournalEntry) -> Bool {
        var lines = ["MESSAGE=\(entry.message)", "PRIORITY=\(entry.priority.rawValue)"]
        if let id = entry.messageID { lines.append("MESSAGE_ID=\(id.rawValue)") }
        if let identifier { lines.append("SYSLOG_IDENTIFIER=\(identifier)") }
        for field in entry.fields { lines.append("\(field.name)=\(field.value)") }
        let storage = lines.flatMap { Array($0.utf8) }
        var sizes = lines.map(\.utf8.count)[...]
        return storage.withUnsafeBytes { bytes in
            var vectors: [iovec] = []
            var offset = 0
            while let size = sizes.popFirst() {
                let part = UnsafeMutableRawBufferPointer(
                    mutating: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size]))
                vectors.append(iovec(iov_base: part.baseAddress, iov_len: size))
                offset += size
            }
            return sd_journal_sendv(vectors, Int32(vectors.count)) >= 0
        }
    }

    private static func write(_ line: String, to descriptor: Int32) {
        let bytes = Array((line + "\n").utf8)
        // One call, so that lines of several processes do not mix. A pipe nobody reads must not stop the supervisor.
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard Glibc.poll(&poll, 1, 200) == 1 else { return }
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
