// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Platform
import Transport
package import Wire
import Glibc

/// A host's end of the renderer protocol.
///
/// Belongs to no event loop: watch `fd` for reading always and for writing while `wantsToWrite`, and call `process()`
/// whenever it is ready. Used on one thread only, the one that runs that loop.
package final class HostChannel {
    /// A message with the descriptors that came with it, as many as `SupervisorMessage.descriptorCount` says.
    package struct Incoming {
        package let message: SupervisorMessage
        package let descriptors: [FileDescriptor]
    }

    private let connection: FramedConnection
    /// Why nothing can be sent or received any more, other than an end of file.
    package private(set) var failure: (any Error)?

    /// - Parameter socket: a connected, non-blocking Unix stream socket.
    package init(socket: FileDescriptor) {
        self.connection = FramedConnection(socket: socket)
    }

    /// The descriptor to watch.
    package var fd: Int32 { connection.socket.raw }

    /// True while messages wait for the socket to become writable.
    package var wantsToWrite: Bool { failure == nil && connection.wantsToWrite }

    /// True once relightd is gone or cannot be talked to. A host then stops within `HostStop.limit`: nobody would know
    /// of it any more.
    package var isOver: Bool { failure != nil || connection.isAtEnd }

    /// Sends what waits and reads what came. Never blocks.
    ///
    /// - Throws: `FrameError` for a frame that is no message, `FramedConnection.Failure` for a broken stream. Either is
    ///   the end: `isOver` is true afterwards.
    package func process() throws -> [Incoming] {
        if let failure { throw failure }
        do {
            try connection.flush()
            return try connection.receive().map(parse)
        } catch {
            failure = error
            throw error
        }
    }

    private func parse(_ received: FramedConnection.Received) throws -> Incoming {
        let message = try SupervisorMessage.parse(received.frame)
        guard let descriptors = received.descriptors.take(message.descriptorCount) else {
            throw FrameError(.missingDescriptor, "a message came without the descriptor that belongs to it")
        }
        return Incoming(message: message, descriptors: descriptors)
    }

    /// Queues a message and sends what the socket takes at once.
    ///
    /// A failure is not thrown, since no place that reports something could do anything about it: it is kept in
    /// `failure`, and `fd` becomes readable, so that the loop calls `process()`, which throws it.
    package func send(_ message: HostMessage, descriptors: [FileDescriptor] = []) {
        attempt { try connection.send(try message.frame(), descriptors: descriptors) }
    }

    /// Sends what waits, as far as the socket takes it; for a loop that watches for writability by itself.
    package func flush() {
        attempt { try connection.flush() }
    }

    private func attempt(_ body: () throws -> Void) {
        guard failure == nil else { return }
        do {
            try body()
        } catch {
            failure = error
            shutdown(fd, Int32(SHUT_RDWR))
        }
    }

    /// The first message of every host.
    package func sayHello(renderer: String, version: String) {
        send(.hello(HostMessage.Hello(renderer: renderer, version: version, pid: getpid())))
    }

    /// A line for the journal. - Parameter priority: a syslog(3) level, 0 to 7.
    package func log(_ priority: Int, _ text: String) {
        send(.log(HostMessage.Log(priority: priority, text: text)))
    }
}
