// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import Transport
import Wire

/// One connection to relightd that waits: sends a call whole, and hands out replies one by one.
final class ControlConnection {
    /// A screenshot in base64 is the largest reply.
    private static let replyLimit = 128 << 20

    private let connection: FramedConnection
    private var waiting: [[UInt8]] = []

    init(path: String) throws(ControlError) {
        do {
            connection = FramedConnection(socket: try UnixSocket.connect(to: path), frameLimit: Self.replyLimit)
        } catch {
            throw ControlError(connecting: path, error)
        }
    }

    func send(_ call: Varlink.Call, until deadline: Deadline) throws(ControlError) {
        do {
            try connection.send(try JSON.encode(call))
            while connection.wantsToWrite {
                try wait(for: Int16(POLLOUT), call.method, deadline)
                try connection.flush()
            }
        } catch let error as ControlError {
            throw error
        } catch FramedConnection.Failure.system(let error) where error.code == EPIPE || error.code == ECONNRESET {
            // relightd hung up in the middle of the call; it may have said why, and that is still to be read.
        } catch let error as FramedConnection.Failure {
            throw ControlError(error, method: call.method)
        } catch {
            throw ControlError(.badReply, "\(call.method) cannot be sent: \(error)")
        }
    }

    /// The next reply. An error in it is thrown.
    func reply(to method: String, until deadline: Deadline) throws(ControlError) -> Varlink.Reply {
        while waiting.isEmpty {
            guard !connection.isAtEnd else { throw .hungUp(method) }
            try wait(for: Int16(POLLIN), method, deadline)
            do {
                waiting = try connection.receive().map(\.frame)
            } catch {
                throw ControlError(error, method: method)
            }
        }
        let reply: Varlink.Reply
        do {
            reply = try JSON.decode(Varlink.Reply.self, from: waiting.removeFirst())
        } catch {
            throw ControlError(.badReply, "relightd's answer to \(method) cannot be read: \(error.description)")
        }
        if let name = reply.error { throw ControlError(reply: reply, name: name, method: method) }
        return reply
    }

    private func wait(for events: Int16, _ method: String, _ deadline: Deadline) throws(ControlError) {
        var entry = pollfd(fd: connection.socket.raw, events: events, revents: 0)
        while true {
            let ready = poll(&entry, 1, deadline.remainingMilliseconds)
            if ready > 0 { return }
            if ready < 0 && errno != EINTR {
                let error = SystemError(code: errno, action: "cannot wait for relightd")
                throw ControlError(.disconnected, error.description)
            }
            if deadline.isPast { throw .late(method, deadline.timeout) }
        }
    }
}

/// A point in time after which to give up; never, if there is no timeout.
struct Deadline {
    let timeout: Duration
    private let instant: ContinuousClock.Instant?

    init(in timeout: Duration?) {
        self.timeout = timeout ?? .zero
        instant = timeout.map { ContinuousClock.now + $0 }
    }

    var isPast: Bool { instant.map { $0 <= ContinuousClock.now } ?? false }

    /// As poll(2) takes it: rounded up, -1 for ever.
    var remainingMilliseconds: Int32 {
        guard let instant else { return -1 }
        let left = (instant - ContinuousClock.now) / .milliseconds(1)
        return Int32(min(max(left.rounded(.up), 0), 1_000_000_000))
    }
}
