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
    let listener: FileDescriptor
    /// The socket file that we made ourselves, to be removed at the end.
    let ownPath: String?
    var clients: [UInt64: ControlClient] = [:]
    var lastClient: UInt64 = 0
    var source: Source?

    init(listener: FileDescriptor, ownPath: String?) {
        self.listener = listener
        self.ownPath = ownPath
    }
}

/// One connection. Calls are answered one after the other, as Varlink demands.
final class ControlClient {
    let number: UInt64
    let connection: FramedConnection
    let peer: UnixSocket.Peer
    var source: Source?
    var waiting: [[UInt8]] = []
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
    func listen(on listener: FileDescriptor, ownPath: String?) throws {
        let server = ControlServer(listener: listener, ownPath: ownPath)
        control = server
        server.source = try loop.watch(fd: listener.raw, events: .readable) { [unowned self] _ in
            assumeIsolated { $0.acceptClients() }
        }
    }

    private func acceptClients() {
        guard let server = control else { return }
        do {
            while let socket = try UnixSocket.accept(on: server.listener) {
                guard server.clients.count < ControlServer.maximumClients else {
                    log("refused a control connection: there are \(server.clients.count) already", .warning)
                    continue
                }
                let peer = try UnixSocket.peer(of: socket)
                server.lastClient += 1
                let number = server.lastClient
                let client = ControlClient(
                    number: number,
                    connection: FramedConnection(
                        socket: socket, frameLimit: Varlink.callLimit, queueLimit: 48 << 20),
                    peer: peer)
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

    /// Without descriptors the listener stays readable and would keep the loop busy.
    private func pauseAccepting(_ server: ControlServer) {
        attempt("pause the control socket") { try server.source?.setEvents([]) }
        after(microseconds: 1_000_000) { daemon in
            daemon.attempt("resume the control socket") { try daemon.control?.source?.setEvents(.readable) }
        }
    }

    private func clientReady(_ number: UInt64, _ events: Events) {
        guard let client = control?.clients[number] else { return }
        do {
            if events.contains(.writable) { try client.connection.flush() }
            client.waiting.append(contentsOf: try client.connection.receive().map(\.frame))
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
        serve(client)
        if client.connection.isAtEnd {
            // The end of file stays readable; while a call runs, nobody listens to it.
            if client.isBusy { client.source?.cancel() } else { hangUp(client) }
            return
        }
        // A client that sends faster than it is answered waits in its own socket buffer.
        updateEvents(of: client)
    }

    func serve(_ client: ControlClient) {
        while !client.isBusy, client.subscription == nil, !client.waiting.isEmpty {
            switch VarlinkService.receive(client.waiting.removeFirst(), version: Release.version) {
            case .reply(let reply, let closes):
                if let reply { respond(VarlinkService.encode(reply), to: client) }
                if closes { return hangUp(client) }
            case .call(let method, let parameters, _, let oneway):
                client.isBusy = true
                let number = client.number
                let peer = client.peer
                // Answered at once where nothing has to be waited for: the job runs on this loop.
                Task { await self.serve(method, parameters, peer, client: number, oneway: oneway) }
            }
        }
    }

    private func serve(
        _ method: Control.Method, _ parameters: JSONValue, _ peer: UnixSocket.Peer, client number: UInt64, oneway: Bool
    ) async {
        let reply = await call(method, parameters, peer, client: number)
        guard let client = control?.clients[number] else { return }
        client.isBusy = false
        if let reply, !oneway { respond(reply, to: client) }
        serve(client)
        if client.connection.isAtEnd, !client.isBusy { hangUp(client) } else { updateEvents(of: client) }
    }

    func respond(_ frame: [UInt8], to client: ControlClient) {
        do {
            try client.connection.send(frame)
            updateEvents(of: client)
        } catch {
            // Gone, or too slow to be served: its own loss.
            hangUp(client)
        }
    }

    private func updateEvents(of client: ControlClient) {
        var events: Events = client.waiting.count < 64 ? .readable : []
        if client.connection.wantsToWrite { events.insert(.writable) }
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
            if subscription.view == nil || subscription.view == view { respond(frame, to: client) }
        }
    }
}
