// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import TestSupport
import Wire

/// A control client that sends whatever it is told to, well-formed or not.
final class RawClient {
    let socket: FileDescriptor
    private var decoder = FrameDecoder(limit: 128 << 20)
    private(set) var isAtEnd = false

    init(_ path: String) throws {
        socket = try eventually("somebody listens on \(path)") { try? UnixSocket.connect(to: path) }
    }

    convenience init(_ daemon: DaemonProcess) throws { try self.init(daemon.socketPath) }

    /// Sends everything, waiting where the socket is full; false if the other side hung up meanwhile.
    @discardableResult
    func send(_ bytes: [UInt8], seconds: Double = 30) throws -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                guard try wait(POLLOUT, seconds) else { throw TimedOut(description: "relightd reads nothing") }
            } else if errno == EPIPE || errno == ECONNRESET {
                return false
            } else {
                throw SystemError(code: errno, action: "cannot send")
            }
        }
        return true
    }

    /// Sends text and the NUL that ends a frame.
    @discardableResult
    func send(_ text: String) throws -> Bool { try send(Array(text.utf8) + [0]) }

    /// Sends as much as the socket takes just now, and says how much.
    func sendNow(_ bytes: [UInt8]) -> Int {
        max(bytes.withUnsafeBytes { Glibc.send(socket.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }, 0)
    }

    /// The next reply; nil at the end of the connection.
    func reply(seconds: Double = 30) throws -> Varlink.Reply? {
        while true {
            if let frame = try decoder.next() { return try JSON.decode(Varlink.Reply.self, from: frame) }
            if isAtEnd { return nil }
            guard try wait(POLLIN, seconds) else { throw TimedOut(description: "no reply of relightd") }
            let socket = socket.raw
            let count = decoder.withWriteBuffer { recv(socket, $0.baseAddress, $0.count, 0) }
            if count == 0 || (count < 0 && errno == ECONNRESET) { isAtEnd = true }
        }
    }

    /// A reply that must come, to a call that is sent.
    func call(_ text: String) throws -> Varlink.Reply {
        try send(text)
        guard let reply = try reply() else { throw TimedOut(description: "relightd hung up") }
        return reply
    }

    /// Waits until relightd hangs up, whatever it still has to say.
    func waitForEnd(seconds: Double = 30) throws {
        while try reply(seconds: seconds) != nil {}
    }

    /// No more calls follow; replies are still read.
    func finishSending() { shutdown(socket.raw, Int32(SHUT_WR)) }

    private func wait(_ events: Int32, _ seconds: Double) throws -> Bool {
        var entry = pollfd(fd: socket.raw, events: Int16(events), revents: 0)
        let ready = poll(&entry, 1, Int32(seconds * 1000))
        guard ready >= 0 || errno == EINTR else { throw SystemError(code: errno, action: "cannot wait") }
        return ready > 0
    }
}

extension Varlink.Reply {
    var message: String { parameters?["message"]?.string ?? "" }
    var remedy: String { parameters?["remedy"]?.string ?? "" }
}
