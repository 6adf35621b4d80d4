// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Dispatch
import Foundation
import Glibc
import Platform
import Synchronization
import Transport
import Wire

/// A control server in this process, on a real Unix socket: the protocol is the daemon's own, the answers are scripted.
final class FakeControlServer: Sendable {
    /// What one call gets.
    enum Answer: Sendable {
        case frames([[UInt8]])
        /// The frames, then the end of the connection.
        case hangUp(after: [[UInt8]])
        /// Nothing, ever.
        case silence
    }

    typealias Handler = @Sendable (Control.Method, JSONValue) -> Answer

    let path: String
    private let directory: String
    private let handler: Handler
    private let stopper: FileDescriptor
    private let finished = DispatchSemaphore(value: 0)
    private let seen = Mutex<[Control.Method]>([])

    /// The methods called so far.
    var calls: [Control.Method] { seen.withLock { $0 } }

    init(_ handler: @escaping Handler) throws {
        var template = Array((NSTemporaryDirectory() + "/relight-control-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, action: "cannot make a directory") }
        directory = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = directory + "/io.relight"
        self.handler = handler
        let listener = try UnixSocket.listen(at: path, mode: 0o600)
        let (stopper, stopped) = try UnixSocket.pair()
        self.stopper = stopper
        let thread = Thread { [self] in
            serve(listener, until: stopped)
            finished.signal()
        }
        thread.start()
    }

    /// Ends the server and waits for its thread.
    func stop() {
        shutdown(stopper.raw, Int32(SHUT_RDWR))
        finished.wait()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func serve(_ listener: FileDescriptor, until stopped: FileDescriptor) {
        var connections: [FramedConnection] = []
        while true {
            var entries = [listener.raw, stopped.raw].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            entries += connections.map {
                pollfd(fd: $0.socket.raw, events: Int16($0.wantsToWrite ? POLLIN | POLLOUT : POLLIN), revents: 0)
            }
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            if entries[1].revents != 0 { return }
            connections = connections.filter(advance)
            if entries[0].revents != 0, let socket = try? UnixSocket.accept(on: listener) {
                connections.append(FramedConnection(socket: socket, frameLimit: Varlink.callLimit))
            }
        }
    }

    /// Reads and answers what is there; false if the connection has ended.
    private func advance(_ connection: FramedConnection) -> Bool {
        do {
            try connection.flush()
            for received in try connection.receive() {
                guard try answer(received.frame, connection) else { return false }
            }
            return !connection.isAtEnd
        } catch {
            return false
        }
    }

    private func answer(_ frame: [UInt8], _ connection: FramedConnection) throws -> Bool {
        switch VarlinkService.receive(frame, version: "9.9") {
        case .reply(let reply, let closeConnection):
            if let reply { try connection.send(VarlinkService.encode(reply)) }
            return !closeConnection
        case .call(let method, let parameters, _, _):
            seen.withLock { $0.append(method) }
            switch handler(method, parameters) {
            case .frames(let frames):
                for frame in frames { try connection.send(frame) }
                return true
            case .hangUp(let frames):
                for frame in frames { try connection.send(frame) }
                return false
            case .silence: return true
            }
        }
    }
}

extension FakeControlServer.Answer {
    static func result(_ value: some Encodable) -> FakeControlServer.Answer {
        .frames([(try? VarlinkService.success(value)) ?? []])
    }

    static func failure(_ failure: Control.Failure, _ message: String, remedy: String) -> FakeControlServer.Answer {
        .frames([VarlinkService.failure(failure, message: message, remedy: remedy)])
    }

    static var done: FakeControlServer.Answer { .frames([VarlinkService.success()]) }
}
