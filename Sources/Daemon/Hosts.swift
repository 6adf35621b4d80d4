// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Configuration
import EventLoop
import Glibc
import Platform
import Supervision
import Systemd
import Transport
import Wire

/// Host processes: started, spoken to, ended.
extension Daemon {
    func name(of id: HostID) -> String {
        guard let host = hosts[id] else { return "\(id)" }
        return "\(host.renderer) host\(host.pid.map { " \($0)" } ?? "") of pool \(host.pool)"
    }

    func start(_ id: HostID, pool: String, role: HostRole, warmSlots: Int) {
        guard let settings = pools[pool]?.settings else { return post(.hostSpawnFailed(id)) }
        let (renderer, path) = executable(for: settings.renderer, role)
        let host = RunningHost(id: id, pool: pool, role: role, renderer: renderer, warmSlots: warmSlots)
        hosts[id] = host
        whenDisplayIsReady(of: pool, settings) { [self] display in
            waitingStarts.append((id, { $0.startNow(id, path: path, settings: settings, display: display) }))
            startNext()
            if waitingStarts.contains(where: { $0.host == id }) { post(.hostQueued(id)) }
        }
    }

    /// Starts what waits, but no more at once than the machine can bring up: a thousand that start together all miss
    /// their time to say hello.
    func startNext() {
        let limit = max(8, 4 * sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        while !waitingStarts.isEmpty, hosts.values.count(where: { $0.process != nil && !$0.isGreeted }) < limit {
            let (id, body) = waitingStarts.removeFirst()
            // The machine may have changed its mind meanwhile.
            if hosts[id] != nil { body(self) }
        }
    }

    private func startNow(_ id: HostID, path: String, settings: PoolSettings, display: [String: String]) {
        guard let host = hosts[id] else { return }
        let pool = host.pool
        do {
            try launch(host, path: path, settings: settings, display: display)
            log("started \(name(of: id))", .debug, .hostStarted, pool: pool, host: id)
            publish("hostStarted", pool: pool, "started \(name(of: id))")
            post(.hostSpawned(id))
        } catch {
            hosts[id] = nil
            log(
                "cannot start the \(host.renderer) host of pool \(pool): \(error); its views wait, it is tried again. "
                    + remedy(for: error, path: path), .error, .hostRejected, pool: pool)
            post(.hostSpawnFailed(id))
        }
    }

    private func remedy(for error: SystemError, path: String) -> String {
        switch error.code {
        case ENOENT: "Install it, or set Renderer= in the pool's file"
        case EACCES: "Make \(path) executable for relightd's user"
        case EAGAIN, EMFILE, ENFILE, ENOMEM: "Raise TasksMax=, LimitNOFILE= or MemoryMax= of relightd's unit"
        default: "See the error of the system"
        }
    }

    private func executable(for renderer: PoolSettings.Renderer, _ role: HostRole) -> (String, String) {
        if case .curtain = role { return ("curtain", options.libraryDirectory + "/relight-curtain") }
        switch renderer {
        case .webkit: return ("webkit", options.libraryDirectory + "/relight-webkit")
        case .builtin: return ("builtin", options.libraryDirectory + "/relight-builtin")
        case .executable(let path): return (path.split(separator: "/").last.map(String.init) ?? path, path)
        }
    }

    private func launch(
        _ host: RunningHost, path: String, settings: PoolSettings, display: [String: String]
    ) throws(SystemError) {
        let (ours, theirs) = try UnixSocket.pair()
        if let parent = controlGroup { host.group = try ControlGroup.make("host-\(host.id.number)", in: parent) }
        let output = standardError
        let process = try ChildProcess.spawn(
            path: path, arguments: [path], environment: hostEnvironment(settings, display),
            descriptors: [nil, output, output, theirs], cgroup: try host.group?.open())
        if let group = host.group, !process.isInCgroup { try group.add(pid: process.pid) }
        host.process = process
        let connection = FramedConnection(socket: ours)
        host.connection = connection
        let id = host.id
        do {
            let source = try loop.watch(fd: ours.raw, events: .readable) { [unowned self] events in
                assumeIsolated { $0.socketReady(id, events) }
            }
            let child = try loop.watchChild(pidfd: process.pidfd.raw) { [unowned self] exit in
                assumeIsolated { $0.hostExited(id, exit) }
            }
            host.sources = [source, child]
        } catch {
            try process.signal(SIGKILL)
            throw SystemError(code: error.errno, action: "cannot watch", subject: path)
        }
    }

    private func hostEnvironment(_ settings: PoolSettings, _ display: [String: String]) -> [String] {
        let ours: Set<String> = [
            "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
            "CREDENTIALS_DIRECTORY", "FDSTORE",
        ]
        var all = environment.filter { !ours.contains($0.key) }
        all.merge(display) { $1 }
        for entry in settings.environment { all[entry.name] = entry.value }
        // A Swift host that is killed while it crashes would else leave its backtracer behind.
        all["SWIFT_BACKTRACE"] = "enable=no"
        all[RendererProtocol.socketVariable] = "3"
        return all.map { "\($0.key)=\($0.value)" }.sorted()
    }

    // MARK: - The socket

    private func socketReady(_ id: HostID, _ events: Events) {
        guard let host = hosts[id], let connection = host.connection else { return }
        do {
            if events.contains(.writable) {
                try connection.flush()
                updateEvents(of: host)
            }
            for received in try connection.receive() {
                let message = try HostMessage.parse(received.frame)
                guard let descriptors = received.descriptors.take(message.descriptorCount) else {
                    throw FrameError(.missingDescriptor, "a message came without its descriptor")
                }
                receive(message, descriptors, from: host)
            }
            if connection.isAtEnd { closeSocket(of: host) }
        } catch {
            protocolBroken(by: host, "\(error)")
        }
    }

    /// A host that closed its socket is of no use; as a rule it is dying, and its exit follows at once.
    private func closeSocket(of host: RunningHost) {
        guard host.connection != nil else { return }
        host.connection = nil
        (host.sources.first as? Source)?.cancel()
        let id = host.id
        // Its exit tells more than the end of its socket; only a host that stays without one is killed.
        after(microseconds: 500_000) { $0.post(.hostFailed(id)) }
    }

    func protocolBroken(by host: RunningHost, _ what: String) {
        log(
            "\(name(of: host.id)) broke the renderer protocol: \(what). It is ended; its views go to another host. "
                + "See Docs/renderer-protocol.md", .error, .protocolError, pool: host.pool, host: host.id)
        host.connection = nil
        (host.sources.first as? Source)?.cancel()
        post(.hostFailed(host.id))
    }

    func send(_ message: SupervisorMessage, descriptors: [FileDescriptor] = [], to id: HostID) {
        guard let host = hosts[id], let connection = host.connection else { return }
        do {
            try connection.send(try message.frame(), descriptors: descriptors)
            updateEvents(of: host)
        } catch {
            // A dead peer is no breach: its exit is on its way.
            if case FramedConnection.Failure.system = error { return closeSocket(of: host) }
            protocolBroken(by: host, "\(error)")
        }
    }

    private func updateEvents(of host: RunningHost) {
        guard let connection = host.connection, let source = host.sources.first as? Source else { return }
        attempt("watch a host's socket") {
            try source.setEvents(connection.wantsToWrite ? [.readable, .writable] : .readable)
        }
    }

    // MARK: - The end

    /// Ends a host and whatever it started.
    func kill(_ id: HostID) {
        guard let host = hosts[id], let process = host.process else {
            // Not started yet: there is nothing to wait for.
            hosts[id] = nil
            return post(.hostExited(id))
        }
        if let group = host.group, (try? group.kill()) != nil { return }
        let family = ProcessTable.descendants(of: process.pid)
        attempt("kill \(name(of: id))") { try process.signal(SIGKILL) }
        for member in family { ProcessTable.kill(member) }
    }

    private func hostExited(_ id: HostID, _ exit: ChildExit) {
        guard let host = hosts[id] else { return }
        // What it said before it died still counts: cookies and page state above all.
        if host.connection != nil { socketReady(id, .readable) }
        let isCurtain = if case .curtain = host.role { true } else { false }
        let expected = isStopping || exit == .exited(0)
        log(
            "\(name(of: id)) \(exit)", expected ? .info : .warning, isCurtain ? .curtainLost : .hostExited,
            pool: host.pool, host: id)
        publish("hostExited", pool: host.pool, "\(name(of: id)) \(exit)")
        endFamily(of: host)
        host.connection = nil
        failRequests(to: id)
        pools[host.pool]?.unacknowledged[id] = nil
        // Its incidents name its processes, so it is forgotten only after them.
        post(.hostExited(id))
        hosts[id] = nil
        startNext()
    }

    /// Grandchildren that outlived their host.
    private func endFamily(of host: RunningHost) {
        if let group = host.group {
            attempt("end what \(name(of: host.id)) left") { try group.kill() }
            removeGroup(group, attempts: 20)
            return
        }
        guard let pid = host.pid else { return }
        for child in ProcessTable.children(of: getpid()) {
            guard let entry = ProcessTable.entry(child), entry.session == pid, entry.pid != pid else { continue }
            ProcessTable.kill(entry)
        }
    }

    private func removeGroup(_ group: ControlGroup, attempts: Int) {
        guard !group.remove(), attempts > 0 else { return }
        after(microseconds: 100_000) { $0.removeGroup(group, attempts: attempts - 1) }
    }

    /// Reaps orphans that came to us as subreaper; hosts have watches of their own.
    func reapOrphans() {
        let watched = Set(hosts.values.compactMap(\.pid) + displays.values.compactMap(\.pid))
        for child in ProcessTable.children(of: getpid()) where !watched.contains(child) { ProcessTable.reap(child) }
    }

    /// Runs something later on the loop; gone with the daemon.
    func after(microseconds: UInt64, _ body: @escaping (isolated Daemon) -> Void) {
        lastDelayed += 1
        let number = lastDelayed
        do {
            let timer = try loop.timer(at: loop.now + microseconds) { [unowned self] in
                assumeIsolated { daemon in daemon.delayed.removeValue(forKey: number)?.body(daemon) }
            }
            delayed[number] = (timer, body)
        } catch {
            log("cannot set a timer: \(error)", .error)
        }
    }
}
