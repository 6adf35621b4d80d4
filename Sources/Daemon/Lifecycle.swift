// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Systemd
import Configuration
import ConfigurationFiles
import EventLoop
import Glibc
import Platform
import Snapshots
import Supervision
import Wire

/// The start, the reload and the end of relightd.
extension Daemon {
    /// Runs relightd on the calling thread until it is told to stop. Returns the exit status.
    package static func main(arguments: [String], journal: JournalWriter? = nil) -> Int32 {
        let environment = Environment.current()
        let executable = (try? Symlink.target(of: "/proc/self/exe")) ?? arguments.first ?? ""
        let directory = executable.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        switch Options.parse(
            Array(arguments.dropFirst()), environment: environment, isRoot: geteuid() == 0,
            executableDirectory: directory)
        {
        case .print(let text):
            print(text, terminator: "")
            return 0
        case .misuse(let text):
            Environment.printError(text)
            return 64
        case .run(let options):
            return run(options, environment, journal ?? Self.journal(environment))
        }
    }

    /// The journal if that is where our stderr goes (systemd.exec(5), $JOURNAL_STREAM), else lines on stderr: whoever
    /// starts relightd by hand and redirects its output wants to find it there.
    private static func journal(_ environment: [String: String]) -> JournalWriter {
        environment["JOURNAL_STREAM"] == nil ? .lines(to: 2) : .automatic(identifier: "relightd")
    }

    private static func run(_ options: Options, _ environment: [String: String], _ journal: JournalWriter) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        do {
            let loop = try EventLoop()
            let daemon = Daemon(options: options, environment: environment, journal: journal, loop: loop)
            try daemon.assumeIsolated { daemon in try daemon.begin() }
            return try loop.run()
        } catch {
            journal.write(JournalEntry("relightd cannot run: \(error)", priority: .critical))
            return 1
        }
    }

    /// Everything that needs no waiting; signals come first, since threads inherit the mask.
    private func begin() throws {
        try watchSignals()
        machineTimer = try loop.timer { [unowned self] in assumeIsolated { $0.post(.tick) } }
        requestTimer = try loop.timer { [unowned self] in assumeIsolated { $0.expireRequests() } }
        storeTimer = try loop.timer { [unowned self] in
            assumeIsolated { daemon in _ = Task { await daemon.flushStates() } }
        }
        standardError = try? FileDescriptor.duplicate(of: 2)
        attempt("raise a limit") { try ProcessTable.raiseDescriptorLimit() }
        attempt("adopt orphans") { try ProcessTable.becomeSubreaper() }
        let loaded = readConfiguration()
        report(loaded)
        let isRoot = geteuid() == 0
        stateDirectory =
            options.stateDirectory ?? loaded.configuration.daemon.stateDirectory
            ?? Options.fallbackDirectory(state: true, environment: environment, isRoot: isRoot)
        runtimeDirectory =
            options.runtimeDirectory ?? loaded.configuration.daemon.runtimeDirectory
            ?? Options.fallbackDirectory(state: false, environment: environment, isRoot: isRoot)
        try prepareRuntimeDirectory()
        controlGroup = ControlGroup.delegated()
        attempt("use the service manager's watchdog") { _ = try loop.enableWatchdog() }
        Task { await self.start(loaded) }
    }

    private func start(_ loaded: Configuration.Loaded) async {
        await openStore()
        guard !isStopping else { return }
        apply(loaded)
        isStarted = true
        openControl()
        attempt("tell the service manager that we are ready") { try notifier.ready() }
        log(
            "relightd \(Release.version) is ready: \(views.count) views in \(pools.count) pools", .notice,
            .daemonStarted)
        if isReloadDue { reload() }
    }

    private func watchSignals() throws {
        for number in [SIGTERM, SIGINT] {
            sources.append(
                try loop.watchSignal(number) { [unowned self] in assumeIsolated { $0.stop() } })
        }
        sources.append(try loop.watchSignal(SIGHUP) { [unowned self] in assumeIsolated { $0.reload() } })
        sources.append(try loop.watchSignal(SIGCHLD) { [unowned self] in assumeIsolated { $0.reapOrphans() } })
    }

    private func prepareRuntimeDirectory() throws {
        let inherited = try SocketActivation.take().first
        try Directory.make(runtimeDirectory, mode: 0o755)
        let lock = runtimeDirectory + "/lock"
        let fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open", subject: lock) }
        let file = FileDescriptor(owning: fd)
        guard flock(file.raw, LOCK_EX | LOCK_NB) == 0 else {
            throw SystemError(
                code: errno,
                action: "another relightd runs in \(runtimeDirectory); stop it first, or use --runtime. "
                    + "Cannot lock", subject: lock)
        }
        runtimeLock = file
        if let inherited { return try listen(on: inherited.descriptor, ownPath: nil) }
        let path = runtimeDirectory + "/" + Control.socketName
        // With the lock in hand, a socket file is one that a dead relightd left.
        unlink(path)
        try listen(on: UnixSocket.listen(at: path, mode: 0o660), ownPath: path)
    }

    // MARK: - Configuration

    private func reload() {
        guard !isStopping else { return }
        // Before the store is read, views and pools would be opened without their past.
        guard isStarted else {
            isReloadDue = true
            return
        }
        attempt("tell the service manager of the reload") { try notifier.reloading() }
        let loaded = readConfiguration()
        report(loaded)
        defer { attempt("tell the service manager that we are ready") { try notifier.ready() } }
        guard loaded.isComplete else {
            // Views must not be closed because a disk or a descriptor is missing for a moment.
            return log(
                "the configuration could not be read again as a whole; everything stays as it is", .error,
                .configurationRejected)
        }
        apply(loaded)
        log("configuration read again: \(views.count) views in \(pools.count) pools", .notice, .configurationLoaded)
    }

    /// A directory that does not exist is an empty configuration: views can be opened by hand.
    private func readConfiguration() -> Configuration.Loaded {
        do {
            return try ConfigurationDirectory.load(options.configurationDirectory)
        } catch {
            var loaded = Configuration.Loaded()
            // One that views came from is hardly gone on purpose.
            loaded.isComplete = error.code == ENOENT && configuration.views.isEmpty
            loaded.diagnostics = [
                Diagnostic(
                    loaded.isComplete ? .warning : .error, path: options.configurationDirectory,
                    message: "the configuration cannot be read: \(error.reason)",
                    remedy: "make the directory with relight.conf, pools/ and views/, or name another by --config")
            ]
            return loaded
        }
    }

    private func report(_ loaded: Configuration.Loaded) {
        for diagnostic in loaded.diagnostics {
            log(
                diagnostic.description, diagnostic.severity == .error ? .error : .warning, .configurationRejected,
                [("RELIGHT_FILE", diagnostic.path)])
        }
    }

    /// Brings the daemon from the configuration it has to the one that was read; what was refused stays as it runs.
    private func apply(_ loaded: Configuration.Loaded) {
        var new = loaded.configuration
        if loaded.isDaemonRejected { new.daemon = configuration.daemon }
        for name in loaded.rejectedPools { new.pools[name] = configuration.pools[name] }
        for name in loaded.rejectedViews {
            guard let view = configuration.views[name] else { continue }
            new.views[name] = view
            // A pool whose file is gone goes on for a view that wants it.
            if new.pools[view.pool] == nil { new.pools[view.pool] = configuration.pools[view.pool] }
        }
        var old = configuration
        // At the start nothing runs yet, not even the pool that exists without a file.
        if pools.isEmpty { old.pools = [:] }
        let changes = Configuration.changes(from: old, to: new)
        configuration = new
        let movedViews = changes.changedViews.filter { $0.keys.contains("Pool") }.map(\.name)
        for name in changes.removedViews + movedViews { closeConfigured(name, moves: movedViews.contains(name)) }
        let memory = Policies.machineMemory()
        for name in changes.addedPools + changes.changedPools.map(\.name) {
            guard let settings = new.pools[name] else { continue }
            configure(name, settings, memory: memory)
        }
        for name in changes.addedViews + movedViews {
            guard let settings = new.views[name] else { continue }
            openConfigured(name, settings)
        }
        for change in changes.changedViews where !movedViews.contains(change.name) {
            guard let settings = new.views[change.name] else { continue }
            update(change.name, settings, keys: change.keys)
        }
        for name in changes.removedPools {
            post(.removePool(name))
            pools[name] = nil
        }
    }

    private func configure(_ name: String, _ settings: PoolSettings, memory: Int) {
        var pool = pools[name] ?? PoolRecord(settings: settings)
        if pools[name] == nil {
            pool.cookies = storedCookies[name] ?? []
            pool.storedCookies = pool.cookies
        } else if Policies.needsNewHosts(pool.settings, settings) {
            pool.generation += 1
        }
        pool.settings = settings
        pools[name] = pool
        post(.configurePool(name, Policies.policy(for: settings, memory: memory, generation: pool.generation)))
    }

    private func openConfigured(_ name: String, _ settings: ViewSettings) {
        if views[name] != nil {
            log("view \(name) was opened by hand before; its file takes over", .notice, view: name)
            post(.closeView(name))
        }
        openView(name, settings, isConfigured: true)
    }

    private func closeConfigured(_ name: String, moves: Bool) {
        guard views[name]?.isConfigured == true else { return }
        post(.closeView(name))
        if !moves { Task { await forget(name) } }
    }

    private func update(_ name: String, _ settings: ViewSettings, keys: [String]) {
        guard let view = views[name] else { return }
        views[name]?.settings = settings
        guard keys.contains("URL") else { return }
        views[name]?.wantedURL = settings.url
        views[name]?.pageState = nil
        if let place = view.place {
            send(.navigate(.init(slot: place.slot, action: .load, url: settings.url)), to: place.host)
        }
    }

    func openView(_ name: String, _ settings: ViewSettings, isConfigured: Bool) {
        var view = ViewRecord(
            name: name, settings: settings, isConfigured: isConfigured, wantedURL: settings.url, url: settings.url,
            since: WallClock.now)
        view.incidents = incidentCounts[name] ?? 0
        if isConfigured, let stored = storedViews[name], stored.pool == settings.pool, stored.url == settings.url {
            view.pageState = stored.state
            view.savedAt = stored.savedAt
        }
        views[name] = view
        isStatusOld = true
        log("view \(name) opened: \(settings.url)", .info, .viewOpened, view: name)
        publish("viewOpened", view: name, settings.url)
        post(.openView(name, pool: settings.pool))
    }

    // MARK: - The end

    /// The first signal stops in order, with last snapshots; a second one does not wait for hosts.
    private func stop() {
        if isStopping {
            for id in hosts.keys { kill(id) }
            return
        }
        isStopping = true
        attempt("tell the service manager that we stop") { try notifier.stopping(status: "stopping") }
        log("relightd stops; last snapshots are taken", .notice, .daemonStopping)
        Task { await takeLastSnapshots() }
    }

    private func takeLastSnapshots() async {
        let bound = views.values.compactMap(\.place)
        await withTaskGroup(of: Void.self) { group in
            for (host, slot) in bound {
                group.addTask { _ = await self.ask(host, seconds: 1) { .capture(.init(id: $0, slot: slot)) } }
            }
        }
        await flushStates()
        for pool in pools.keys { await cookiesWritten(of: pool) }
        post(.shutDown)
    }

    func finish() {
        stopDisplays()
        if let path = control?.ownPath { unlink(path) }
        Task {
            do {
                try await store?.close()
            } catch {
                log("\(error)", .error, .snapshotStoreFailed)
            }
            log("relightd has stopped", .info)
            // `systemctl status` goes on showing the last one.
            attempt("tell the service manager the status") { try notifier.status("stopped") }
            loop.exit(code: 0)
        }
    }
}
