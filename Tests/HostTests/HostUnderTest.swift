// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Glibc
import Platform
import TestSupport
import Transport
import Wire

/// A host process, with the test in relightd's place at the other end of its socket.
final class HostUnderTest {
    let process: ChildProcess
    private let connection: FramedConnection
    /// Everything it has said so far.
    private(set) var messages: [HostMessage] = []
    /// The descriptors that came with `messages`, in order.
    private(set) var descriptors: [FileDescriptor] = []
    /// What it said that is no message.
    private(set) var failure: (any Error)?
    private var seen = 0
    private var lastRequest: RequestID = 0
    private var lastBind: UInt64 = 0
    private var hasEnded = false

    /// Starts a program from beside the tests.
    init(_ program: String, environment: [String] = []) throws {
        let (ours, theirs) = try UnixSocket.pair()
        connection = FramedConnection(socket: ours)
        let path = try DaemonProcess.builtProducts() + "/" + program
        let errors = FileDescriptor(owning: dup(2))
        process = try ChildProcess.spawn(
            path: path, arguments: [path],
            environment: ["SWIFT_BACKTRACE=enable=no", "\(RendererProtocol.socketVariable)=3"] + environment,
            descriptors: [nil, nil, errors, theirs])
    }

    deinit {
        guard !hasEnded else { return }
        try? process.signal(SIGKILL)
        _ = try? waitForExit()
    }

    var isAtEnd: Bool { connection.isAtEnd }

    func send(_ message: SupervisorMessage) throws { try connection.send(try message.frame()) }

    /// The next message, from where the last call stopped, that `body` makes something of.
    @discardableResult
    func next<T>(_ what: String, seconds: Double = 30, _ body: (HostMessage) -> T?) throws -> T {
        try eventually(what, seconds: seconds) {
            receive()
            while seen < messages.count {
                seen += 1
                if let result = body(messages[seen - 1]) { return result }
            }
            // What broke the connection is never followed by what was waited for.
            if let failure { throw failure }
            if isAtEnd { throw HostTrouble(description: "the host closed its socket before: \(what)") }
            return nil
        }
    }

    /// Takes what is there.
    func receive() {
        guard failure == nil, !connection.isAtEnd else { return }
        var ready = pollfd(fd: connection.socket.raw, events: Int16(POLLIN), revents: 0)
        poll(&ready, 1, 5)
        do {
            try connection.flush()
            for received in try connection.receive() {
                let message = try HostMessage.parse(received.frame)
                guard let arrived = received.descriptors.take(message.descriptorCount) else {
                    throw FrameError(.missingDescriptor, "a message came without its descriptor")
                }
                descriptors += arrived
                messages.append(message)
            }
        } catch {
            failure = error
        }
    }

    /// The exit status as wait(2) gives it.
    @discardableResult
    func waitForExit(seconds: Double = 30) throws -> Int32 {
        let status: Int32 = try eventually("the host ends", seconds: seconds) {
            var status: Int32 = 0
            return waitpid(process.pid, &status, WNOHANG) == process.pid ? status : nil
        }
        hasEnded = true
        return status
    }

    // MARK: - What every test of a host does

    func hello() throws -> HostMessage.Hello {
        try next("hello") { if case .hello(let hello) = $0 { hello } else { nil } }
    }

    /// Takes its hello, and tells it what to be.
    func welcome(warmSlots: Int = 1, cookies: [Cookie] = []) throws {
        _ = try hello()
        try send(
            .welcome(
                .init(
                    pool: "main", dataDirectory: "/nonexistent", cacheDirectory: "/nonexistent", warmSlots: warmSlots,
                    isStandby: false, cookies: cookies)))
    }

    func warmSlot() throws -> HostMessage.SlotReady {
        try next("slotReady") { if case .slotReady(let slot) = $0 { slot } else { nil } }
    }

    /// Asks for a bind; returns its number.
    @discardableResult
    func bind(_ slot: Int, _ url: String, state: PageState? = nil, cookies: [Cookie]? = nil) throws -> UInt64 {
        lastBind += 1
        try send(.bind(.init(bind: lastBind, slot: slot, view: "lobby", url: url, state: state, cookies: cookies)))
        return lastBind
    }

    /// The steps of the last bind up to `verified` or `failed`.
    func stepsOfBind() throws -> [HostMessage.Progress] {
        var steps: [HostMessage.Progress] = []
        try next("the end of bind \(lastBind)") { message in
            guard case .progress(let progress) = message, progress.bind == lastBind else { return nil as Bool? }
            steps.append(progress)
            return progress.step == .verified || progress.step == .failed ? true : nil
        }
        return steps
    }

    /// Welcomes it, and brings one view into a slot; returns the slot.
    func show(_ url: String, cookies: [Cookie] = []) throws -> Int {
        try welcome(cookies: cookies)
        let slot = try warmSlot().slot
        try bind(slot, url)
        guard let last = try stepsOfBind().last, last.step == .verified else {
            throw HostTrouble(description: "the bind failed")
        }
        return slot
    }

    func reply(to id: RequestID) throws -> HostMessage.Reply {
        try next("reply \(id)") { if case .reply(let reply) = $0, reply.id == id { reply } else { nil } }
    }

    func evaluate(_ slot: Int, _ script: String) throws -> HostMessage.Reply {
        lastRequest += 1
        try send(.evaluate(.init(id: lastRequest, slot: slot, script: script)))
        return try reply(to: lastRequest)
    }

    func request(_ make: (RequestID) -> SupervisorMessage) throws -> HostMessage.Reply {
        lastRequest += 1
        try send(make(lastRequest))
        return try reply(to: lastRequest)
    }
}

/// What a host did not do.
struct HostTrouble: Error, CustomStringConvertible {
    let description: String
}
