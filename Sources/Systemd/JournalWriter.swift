// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import Glibc
internal import Synchronization

/// Writes entries to the journal, or where there is none to standard error. Any thread.
///
/// A write never blocks for long: a journal that takes nothing is given 100 ms, and after that no time at all until it
/// takes entries again. What it does not take goes to standard error.
package final class JournalWriter: Sendable {
    private enum Destination: Sendable {
        /// The journal while its socket is there, standard error otherwise.
        case journal
        case descriptor(Int32)
        case memory
    }

    private let destination: Destination
    private let identifier: String?
    private let socket: JournalSocket
    private let captures = Mutex<[JournalEntry]>([])
    /// Lines as well: somebody sits at the terminal.
    private let echoes: Bool

    private init(_ destination: Destination, identifier: String?, socketPath: String, echoes: Bool) {
        self.destination = destination
        self.identifier = identifier
        self.echoes = echoes
        socket = JournalSocket(path: socketPath)
    }

    /// A writer to the journal if there is one, and to standard error otherwise, or as well if that is a terminal. The
    /// identifier, the program's name, is each entry's SYSLOG_IDENTIFIER.
    package static func automatic(
        identifier: String, socketPath: String = JournalSocket.systemPath
    ) -> JournalWriter {
        JournalWriter(
            .journal, identifier: identifier, socketPath: socketPath, echoes: isatty(STDERR_FILENO) == 1)
    }

    /// A writer of lines to a descriptor, which stays the caller's.
    package static func lines(to descriptor: Int32) -> JournalWriter {
        JournalWriter(.descriptor(descriptor), identifier: nil, socketPath: "", echoes: false)
    }

    /// A writer that keeps what it is given, for tests: see `captured`.
    package static func capturing() -> JournalWriter {
        JournalWriter(.memory, identifier: nil, socketPath: "", echoes: false)
    }

    /// Everything that a capturing writer was given.
    package var captured: [JournalEntry] { captures.withLock { $0 } }

    /// Writes one entry. Fields with names that the journal would refuse are left out and named in RELIGHT_BAD_FIELD.
    package func write(_ entry: JournalEntry) {
        var entry = entry
        let bad = entry.fields.filter { !JournalEntry.isValidFieldName($0.name) }.map(\.name)
        if !bad.isEmpty {
            entry.fields.removeAll { !JournalEntry.isValidFieldName($0.name) }
            entry.fields.append(("RELIGHT_BAD_FIELD", bad.joined(separator: " ")))
        }
        switch destination {
        case .memory: captures.withLock { $0.append(entry) }
        case .descriptor(let descriptor): LineOutput.write(entry.line, to: descriptor)
        case .journal:
            let isSent = socket.send(entry.datagram(identifier: identifier))
            if echoes || !isSent { LineOutput.write(entry.line, to: STDERR_FILENO) }
        }
    }
}

/// Lines to a descriptor whose reader may be stuck.
private enum LineOutput {
    /// A pipe takes so much at once without blocking when poll(2) says it is writable (PIPE_BUF).
    private static let pieceLength = 4096

    static func write(_ line: String, to descriptor: Int32) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&request, 1, 100) == 1, request.revents & Int16(POLLOUT) != 0 else { return }
            let written = rest.prefix(pieceLength).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
