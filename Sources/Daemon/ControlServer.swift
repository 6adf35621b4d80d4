// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import EventLoop
import Platform
import Systemd
import Transport
import Wire

/// The control socket and its clients.
final class ControlServer {
    static let maximumClients = 512
    /// The most calls of one client that are answered before others have their turn.
    static let callsPerTurn = 16
    /// The most bytes of events that wait for a subscriber which does not read them.
    static let eventBacklog = 4 << 20
    let listener: FileDescriptor
    /// The socket file that we made ourselves, to be removed at the end.
    let ownPath: String?
    var clients: [UInt64: ControlClient] = [:]
    var lastClient: UInt64 = 0
    var source: Source?
    /// True from a refusal for lack of room until there is room again: one entry for a flood of connections.
    var isFull = false

    init(listener: FileDescriptor, ownPath: String?) {
        self.listener = listener
        self.ownPath = ownPath
    }
}

/// One connection. Calls are answered one after the other, as Varlink demands. Nothing is read from a client before
/// what it sent is answered and the answers are on their way: one that sends faster, or that does not read, waits in its
/// own socket buffer.
final class ControlClient {
    let number: UInt64
    let connection: FramedConnection
    let peer: UnixSocket.Peer
    var source: Source?
    var waiting: ArraySlice<[UInt8]> = []
    /// A call runs, or its turn is over and the next one is due.
    var isBusy = false
    /// Set by `Events`: what it wants to hear of.
    var subscription: Subscription?

    struct Subscription {
        let view: String?
    }

    init(number: UInt64, connection: FramedConnection, peer: UnixSocket.Peer) {
        self.number = number
        self.connection = connection
        self.peer = peer
    }
}

extension Daemon {
    /// Makes the socket known; nobody is served before `openControl`.
    func listen(on listener: FileDescriptor, ownPath: String?) throws {
        let server = ControlServer(listener: listener, ownPath: ownPath)
        control = server
        server.source = try loop.watch(fd: listener.raw, events: []) { [unowned self] _ in
            assumeIsolated { $0.acceptClients() }
        }
    }

    /// Lets clients in; those that came meanwhile waited in the listener's queue.
    func openControl() {
        attempt("open the control socket") { try control?.source?.setEvents(.readable) }
    }

    private func acceptClients() {
        guard let server = control else { return }
        do {
            while let socket = try UnixSocket.accept(on: server.listener) {
                let peer = try UnixSocket.peer(of: socket)
                let connection = FramedConnection(
                    socket: socket, frameLimit: Varlink.callLimit, queueLimit: 48 << 20)
                guard server.clients.count < ControlServer.maximumClients else {
                    refuse(connection, peer, server)
                    continue
                }
                server.isFull = false
                server.lastClient += 1
                let number = server.lastClient
                let client = ControlClient(number: number, connection: connection, peer: peer)
                client.source = try loop.watch(fd: socket.raw, events: .readable) { [unowned self] events in
                    assumeIsolated { $0.clientReady(number, events) }
                }
                server.clients[number] = client
            }
        } catch {
            log("cannot take a control connection: \(error); ignoring", .warning)
            pauseAccepting(server)
        }
    }

    private func refuse(_ connection: FramedConnection, _ peer: UnixSocket.Peer, _ server: ControlServer) {
        let count = server.clients.count
        // It may be gone already, which is all the same.
        try? connection.send(
            VarlinkService.failure(
                .limitReached, message: "there are \(count) control connections, as many as relightd serves",
                remedy: "close one, or try again later"))
        guard !server.isFull else { return }
        server.isFull = true
        log("refused a control connection of PID \(peer.pid): there are \(count) already", .warning)
    }

    /// Without descriptors the listener stays readable and would keep the loop busy.
    private func pauseAccepting(_ server: ControlServer) {
        attempt("pause the control socket") { try server.source?.setEvents([]) }
        after(microseconds: 1_000_000) { $0.openControl() }
    }

    private func clientReady(_ number: UInt64, _ events: Events) {
        guard let client = control?.clients[number] else { return }
        do {
            if events.contains(.writable) { try client.connection.flush() }
            if !events.isDisjoint(with: [.readable, .hangUp, .failed]) {
                client.waiting.append(contentsOf: try client.connection.receive().map(\.frame))
            }
        } catch {
            if case .frame(let error) = error {
                log(
                    "a control client (PID \(client.peer.pid)) sent what is no call: \(error)", .warning, .protocolError
                )
                respond(
                    VarlinkService.failure(
                        .invalidArgument, message: error.description,
                        remedy: "send calls of less than \(Varlink.callLimit) bytes"), to: client)
            }
            return hangUp(client)
        }
        if client.connection.isAtEnd, events.contains(.hangUp) {
            // It will read no answer. What it asked for is still done, without the source, which stays ready for ever.
            client.source?.cancel()
            if client.subscription != nil { return hangUp(client) }
        }
        serve(client)
    }

    /// Answers what waits, for one turn, and then sees to what comes next.
    func serve(_ client: ControlClient) {
        var turn = ControlServer.callsPerTurn
        while !client.isBusy, client.subscription == nil, !client.connection.wantsToWrite,
            let frame = client.waiting.first
        {
            let number = client.number
            guard turn > 0 else {
                client.isBusy = true
                Task { self.takeTurn(number) }
                break
            }
            turn -= 1
            client.waiting.removeFirst()
            switch VarlinkService.receive(frame, version: Release.version) {
            case .reply(let reply, let closes):
                if let reply { respond(VarlinkService.encode(reply), to: client) }
                if closes { return hangUp(client) }
            case .call(let method, let parameters, _, let oneway):
                client.isBusy = true
                let peer = client.peer
                // Answered at once where nothing has to be waited for: the job runs on this loop.
                Task { await self.serve(method, parameters, peer, client: number, oneway: oneway) }
            }
        }
        settle(client)
    }

    private func takeTurn(_ number: UInt64) {
        guard let client = control?.clients[number] else { return }
        client.isBusy = false
        serve(client)
    }

    private func serve(
        _ method: Control.Method, _ parameters: JSONValue, _ peer: UnixSocket.Peer, client number: UInt64, oneway: Bool
    ) async {
        let reply = await call(method, parameters, peer, client: number)
        guard let client = control?.clients[number] else { return }
        client.isBusy = false
        if let reply, !oneway { respond(reply, to: client) }
        serve(client)
    }

    func respond(_ frame: [UInt8], to client: ControlClient) {
        do {
            try client.connection.send(frame)
        } catch {
            // Gone, or too slow to be served: its own loss.
            hangUp(client)
        }
    }

    /// What to wait for next; the end of a client that wants nothing any more.
    private func settle(_ client: ControlClient) {
        guard control?.clients[client.number] != nil else { return }
        let connection = client.connection
        let isIdle = !client.isBusy && client.waiting.isEmpty && !connection.wantsToWrite
        // Who has only shut down its sending side may still listen, to events above all.
        if connection.isAtEnd, isIdle, client.subscription == nil { return hangUp(client) }
        var events: Events = isIdle && !connection.isAtEnd ? .readable : []
        if connection.wantsToWrite { events.insert(.writable) }
        attempt("watch a control client") { try client.source?.setEvents(events) }
    }

    private func hangUp(_ client: ControlClient) {
        client.source?.cancel()
        control?.clients[client.number] = nil
    }

    // MARK: - Events

    func publish(
        _ kind: String, view: String? = nil, pool: String? = nil, _ message: String,
        _ incident: Control.Incident? = nil
    ) {
        guard let server = control, server.clients.values.contains(where: { $0.subscription != nil }) else { return }
        let event = Control.Event(
            kind: kind, at: WallClock.now, view: view, pool: pool ?? view.flatMap { views[$0]?.pool },
            message: message, incident: incident)
        guard let frame = try? VarlinkService.success(Control.EventResult(event: event), continues: true) else {
            return
        }
        for client in server.clients.values {
            guard let subscription = client.subscription else { continue }
            guard subscription.view == nil || subscription.view == view else { continue }
            guard client.connection.queuedBytes + frame.count <= ControlServer.eventBacklog else {
                hangUp(client)
                log("a subscriber (PID \(client.peer.pid)) does not read its events and was hung up", .warning)
                continue
            }
            respond(frame, to: client)
            settle(client)
        }
    }
}
