// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import CLinux
internal import CSystemd
internal import Glibc
internal import Platform
internal import Synchronization

/// The journal's native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL).
///
/// Not sd_journal_sendv(3), which waits in sendmsg(2) for as long as a stopped journald does not read: a supervisor must
/// go on supervising.
package final class JournalSocket: Sendable {
    package static let systemPath = "/run/systemd/journal/socket"

    /// How long a full journal is waited for, in milliseconds.
    private static let patience: Int32 = 100

    private struct State {
        var socket: FileDescriptor?
        /// The journal did not read in time; it gets no more time until it does.
        var isStalled = false
    }

    private let path: String
    private let state = Mutex(State())

    package init(path: String) { self.path = path }

    /// Sends one serialised entry; false if it did not reach the journal. Any thread.
    package func send(_ datagram: [UInt8]) -> Bool {
        state.withLock { state in
            // A restarted journal that made its socket anew refuses the old connection: one more try.
            for _ in 0..<2 {
                if state.socket == nil {
                    let descriptor = relight_datagram_connect(path)
                    guard descriptor >= 0 else { return false }
                    state.socket = FileDescriptor(owning: descriptor)
                }
                guard let socket = state.socket else { return false }
                let result = Self.send(datagram, to: socket, patience: state.isStalled ? 0 : Self.patience)
                if result >= 0 {
                    state.isStalled = false
                    return true
                }
                if result == -EAGAIN {
                    state.isStalled = true
                    return false
                }
                state.socket = nil
            }
            return false
        }
    }

    private static func send(_ datagram: [UInt8], to socket: FileDescriptor, patience: Int32) -> Int {
        var result = relight_send(socket.raw, datagram, datagram.count, nil, 0)
        if result == -EAGAIN {
            // Connected, so that poll tells of the receiver's queue as well.
            var request = pollfd(fd: socket.raw, events: Int16(POLLOUT), revents: 0)
            guard poll(&request, 1, patience) == 1 else { return -Int(EAGAIN) }
            result = relight_send(socket.raw, datagram, datagram.count, nil, 0)
        }
        guard result == -EMSGSIZE || result == -ENOBUFS else { return result }
        // Too large for a datagram: the journal takes a sealed memfd.
        guard let memory = datagram.withUnsafeBytes({ try? SharedMemory.make(name: "journal-entry", bytes: $0) })
        else { return -Int(ENOMEM) }
        return withExtendedLifetime(memory) {
            var descriptor = memory.raw
            return relight_send(socket.raw, "", 0, &descriptor, 1)
        }
    }
}

extension JournalEntry {
    /// The entry in the journal's native protocol.
    func datagram(identifier: String?) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ name: String, _ value: String) {
            bytes.append(contentsOf: name.utf8)
            if value.utf8.contains(UInt8(ascii: "\n")) {
                bytes.append(UInt8(ascii: "\n"))
                withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes.append(contentsOf: value.utf8)
            bytes.append(UInt8(ascii: "\n"))
        }
        append("MESSAGE", message)
        append("PRIORITY", "\(priority.rawValue)")
        if let messageID { append("MESSAGE_ID", messageID.rawValue) }
        if let identifier { append("SYSLOG_IDENTIFIER", identifier) }
        for field in fields { append(field.name, field.value) }
        return bytes
    }
}
