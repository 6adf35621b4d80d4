// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
package import Platform
import Synchronization

/// A small HTTP/1.1 server on loopback that serves the demo page and keeps a log of every request: the witness outside
/// the browser that the storm, the benchmarks and the tests of hosts believe.
///
/// One thread serves all connections. Everything here may be called from any thread.
package final class PageServer: Sendable {
    /// The most clients at once; later ones are turned away.
    package static let connectionLimit = 4096

    package let port: UInt16
    package let log = RequestLog()
    private let site = Mutex(PageSite())
    private let wake: FileDescriptor
    private let isStopped = Mutex(false)
    private let thread = Mutex<WorkerThread?>(nil)

    /// Listens on 127.0.0.1 and starts to serve.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Throws: `SystemError` if the port is taken or a limit reached.
    package init(port: UInt16 = 0) throws(SystemError) {
        let (listener, boundPort) = try Self.listen(port: port)
        let (wake, wakeReader) = try UnixSocket.pair()
        self.port = boundPort
        self.wake = wake
        // The thread holds the server weakly through its parts only, so that dropping the server stops it.
        let log = self.log
        let answer: @Sendable (HTTPRequest) -> HTTPResponse = { [weak self] request in
            guard let self else { return .text("stopping\n", status: 500) }
            let (response, load) = self.site.withLock { $0.respond(to: request) }
            log.append(
                LoggedRequest(
                    at: MonotonicClock.now, method: request.method, target: request.target,
                    cookieHeader: request.header("cookie") ?? "", load: load))
            return response
        }
        let thread = try WorkerThread {
            var loop = PageServerLoop(listener: listener, wake: wakeReader)
            loop.run(answer)
        }
        self.thread.withLock { $0 = thread }
    }

    deinit { stop() }

    /// The address of a path on this server.
    package func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Loads of the demo page so far.
    package var loads: Int { site.withLock { $0.loads } }

    /// The value that the newest tick gave to the cookies `n` and `p`.
    package var ticks: Int { site.withLock { $0.ticks } }

    /// Closes all connections and ends the thread; later calls do nothing.
    package func stop() {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        shutdown(wake.raw, Int32(SHUT_RDWR))
        thread.withLock { $0.take() }?.join()
    }

    private static func listen(port: UInt16) throws(SystemError) -> (FileDescriptor, UInt16) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let fd = socket(AF_INET, type, 0)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot make a socket") }
        let listener = FileDescriptor(owning: fd)
        var one: Int32 = 1
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
                guard bind(fd, pointer, length) == 0, Glibc.listen(fd, 1024) == 0 else { return -errno }
                return getsockname(fd, pointer, &length) == 0 ? 0 : -errno
            }
        }
        _ = try SystemError.check(result, "cannot listen on", "127.0.0.1:\(port)")
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}

/// The poll(2) loop behind the server, on its own thread.
struct PageServerLoop {
    let listener: FileDescriptor
    let wake: FileDescriptor
    private var connections: [PageConnection] = []
    /// POLLRDHUP of poll(2), which the Glibc overlay hides behind _GNU_SOURCE; the same on every architecture but SPARC.
    private static let pollPeerHangUp: Int32 = 0x2000

    init(listener: FileDescriptor, wake: FileDescriptor) {
        self.listener = listener
        self.wake = wake
    }

    /// Serves until the other end of `wake` is shut down.
    mutating func run(_ respond: (HTTPRequest) -> HTTPResponse) {
        while true {
            var polled = [
                pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener.raw, events: Int16(POLLIN), revents: 0),
            ]
            for connection in connections {
                let events =
                    (connection.wantsToRead ? POLLIN : 0) | (connection.wantsToWrite ? POLLOUT : 0)
                    | (connection.isDelayed ? Self.pollPeerHangUp : 0)
                polled.append(pollfd(fd: connection.socket.raw, events: Int16(events), revents: 0))
            }
            guard poll(&polled, nfds_t(polled.count), timeout()) >= 0 || errno == EINTR else { return }
            if polled[0].revents != 0 { return }
            let now = MonotonicClock.now
            for (connection, state) in zip(connections, polled.dropFirst(2)) {
                serve(connection, revents: Int32(state.revents), now: now, respond)
            }
            connections.removeAll { $0.isClosed }
            if polled[1].revents != 0 { acceptAll() }
        }
    }

    private func serve(
        _ connection: PageConnection, revents: Int32, now: UInt64, _ respond: (HTTPRequest) -> HTTPResponse
    ) {
        if revents != 0 && connection.isDelayed {
            connection.hangUp()
        } else if revents != 0 && connection.wantsToRead {
            connection.receive(respond)
        } else {
            connection.advance(now: now, respond)
        }
    }

    /// Milliseconds until the next delayed answer is due; -1 if there is none.
    private func timeout() -> Int32 {
        guard let next = connections.compactMap(\.deadline).min() else { return -1 }
        let now = MonotonicClock.now
        return next <= now ? 0 : Int32(clamping: (next - now) / 1000 + 1)
    }

    private mutating func acceptAll() {
        // The accept of Platform serves any listening socket: it is accept4(2).
        while let socket = try? UnixSocket.accept(on: listener) {
            guard connections.count < PageServer.connectionLimit else { continue }
            var one: Int32 = 1
            setsockopt(socket.raw, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            connections.append(PageConnection(socket: socket))
        }
    }
}
