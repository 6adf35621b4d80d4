// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Configuration

/// Loads files given as path and text.
func load(_ files: (String, String)...) -> Configuration.Loaded {
    Configuration.load(files.compactMap { ConfigurationFile(relativePath: $0.0, bytes: Array($0.1.utf8)) })
}

/// What is said about `files`, one line each.
func complaints(_ files: (String, String)...) -> [String] {
    Configuration.load(files.compactMap { ConfigurationFile(relativePath: $0.0, bytes: Array($0.1.utf8)) })
        .diagnostics.map(\.description)
}

@Suite struct LoadingTests {
    @Test func nothingAtAllIsTheDefaults() {
        let loaded = Configuration.load([])
        #expect(loaded.diagnostics.isEmpty)
        #expect(loaded.configuration.pools == ["default": PoolSettings()])
        #expect(loaded.configuration.views.isEmpty)
        #expect(loaded.configuration.daemon.maximumViews == 1000)
    }

    @Test func everyKeyIsRead() throws {
        let loaded = load(
            (
                "relight.conf",
                """
                [Relight]
                StateDirectory=/srv/relight/
                RuntimeDirectory = /run/other
                LogLevel=debug
                MaximumViews=20
                SnapshotInterval=500ms
                """
            ),
            (
                "pools/lobby.pool",
                """
                # comment
                ; another
                [Pool]
                Renderer=/usr/libexec/my-host
                WarmSlots=3
                Standby=yes
                Display=wayland-1
                Curtain=off
                HeartbeatInterval=1s
                HeartbeatTimeout=infinity
                HelloTimeout=2s
                RecoveryTimeout=1min
                RestartBackoff=50ms
                RestartBackoffMaximum=5s
                StartLimitBurst=3
                StartLimitInterval=2min
                StopTimeout=7
                DataDirectory=/srv/lobby
                Geometry=800x600
                Environment=A=1 "B=two words" \\
                  'C=3 "quoted"'
                Environment=D=
                """
            ),
            (
                "views/lobby.view",
                """
                [View]
                URL=https://user@example.org:8443/a?b=c#d
                Pool=lobby
                Fullscreen=no
                Output=HDMI-1
                """
            ))
        #expect(loaded.diagnostics.map(\.description) == [])
        var daemon = DaemonSettings()
        daemon.stateDirectory = "/srv/relight"
        daemon.runtimeDirectory = "/run/other"
        daemon.logLevel = .debug
        daemon.maximumViews = 20
        daemon.snapshotInterval = .milliseconds(500)
        #expect(loaded.configuration.daemon == daemon)
        var pool = PoolSettings()
        pool.renderer = .executable("/usr/libexec/my-host")
        pool.warmSlots = 3
        pool.standby = true
        pool.display = .wayland("wayland-1")
        pool.curtain = false
        pool.heartbeatInterval = .seconds(1)
        pool.heartbeatTimeout = Quantity.forever
        pool.helloTimeout = .seconds(2)
        pool.recoveryTimeout = .seconds(60)
        pool.restartBackoff = .milliseconds(50)
        pool.restartBackoffMaximum = .seconds(5)
        pool.startLimitBurst = 3
        pool.startLimitInterval = .seconds(120)
        pool.stopTimeout = .seconds(7)
        pool.dataDirectory = "/srv/lobby"
        pool.geometry = Geometry(width: 800, height: 600)
        pool.environment = [
            EnvironmentEntry(name: "A", value: "1"), EnvironmentEntry(name: "B", value: "two words"),
            EnvironmentEntry(name: "C", value: "3 \"quoted\""), EnvironmentEntry(name: "D", value: ""),
        ]
        #expect(loaded.configuration.pools["lobby"] == pool)
        var view = ViewSettings(url: "https://user@example.org:8443/a?b=c#d", pool: "lobby")
        view.fullscreen = false
        view.output = "HDMI-1"
        #expect(loaded.configuration.views == ["lobby": view])
    }

    @Test func dropInsMergeByFileNameWhateverTheOrderGiven() {
        let files: [(String, String)] = [
            ("views/a.view.d/20-b.conf", "[View]\nFullscreen=no\nOutput=\n"),
            ("views/a.view", "[View]\nURL=http://one.test/\nOutput=HDMI-1"),
            ("views/a.view.d/10-a.conf", "[View]\nURL=http://two.test/\nFullscreen=yes\nOutput=DP-1\n"),
            ("relight.conf.d/x.conf", "[Relight]\nMaximumViews=7"),
            ("pools/default.pool.d/x.conf", "[Pool]\nDisplay=headless"),
        ]
        for turn in 0..<files.count {
            let turned = Array(files[turn...] + files[..<turn])
            let loaded = Configuration.load(
                turned.compactMap { ConfigurationFile(relativePath: $0.0, bytes: Array($0.1.utf8)) })
            #expect(loaded.diagnostics.map(\.description) == [])
            let view = loaded.configuration.views["a"]
            #expect(view?.url == "http://two.test/")
            #expect(view?.fullscreen == false)
            #expect(view?.output == nil)
            #expect(loaded.configuration.daemon.maximumViews == 7)
            #expect(loaded.configuration.pools["default"]?.display == .headless)
        }
    }

    @Test func anEmptyValueResets() {
        let loaded = load(
            ("pools/p.pool", "[Pool]\nWarmSlots=3\nEnvironment=A=1\nHelloTimeout=2s\n"),
            ("pools/p.pool.d/a.conf", "[Pool]\nWarmSlots=\nEnvironment=\nEnvironment=B=2\nHelloTimeout=\n"))
        #expect(loaded.diagnostics.isEmpty)
        var pool = PoolSettings()
        pool.environment = [EnvironmentEntry(name: "B", value: "2")]
        #expect(loaded.configuration.pools["p"] == pool)
    }

    @Test func brokenFilesDoNotSpoilTheOthers() {
        let loaded = load(
            ("relight.conf", "[Relight]\nMaximumViews=none\n"),
            ("pools/bad.pool", "[Pool]\nWarmSlots=99\n"),
            ("views/good.view", "[View]\nURL=http://good.test/\n"),
            ("views/bad.view", "[View]\nURL=gopher://bad.test/\n"),
            ("views/orphan.view", "[View]\nURL=http://x.test/\nPool=bad\n"))
        #expect(loaded.hasErrors)
        #expect(loaded.isDaemonRejected)
        #expect(loaded.configuration.daemon == DaemonSettings())
        #expect(Set(loaded.configuration.views.keys) == ["good"])
        #expect(loaded.rejectedViews == ["bad", "orphan"])
        #expect(loaded.rejectedPools == ["bad"])
        #expect(loaded.configuration.pools["bad"] == nil)
    }

    @Test func tooManyViewsLeaveOutTheLastOnes() {
        let loaded = load(
            ("relight.conf", "[Relight]\nMaximumViews=2\n"),
            ("views/c.view", "[View]\nURL=http://x.test/\n"),
            ("views/a.view", "[View]\nURL=http://x.test/\n"),
            ("views/b.view", "[View]\nURL=http://x.test/\n"))
        #expect(Set(loaded.configuration.views.keys) == ["a", "b"])
        #expect(loaded.rejectedViews == ["c"])
        #expect(loaded.hasErrors)
    }

    @Test(arguments: [
        ("relight.conf", ConfigurationFile.Kind.daemon, false), ("relight.conf.d/a.conf", .daemon, true),
        ("pools/p.pool", .pool("p"), false), ("pools/p.pool.d/1.conf", .pool("p"), true),
        ("views/v.1.view", .view("v.1"), false), ("views/v.view.d/1.conf", .view("v"), true),
    ]) func filesAreKnownByTheirPlace(path: String, kind: ConfigurationFile.Kind, isDropIn: Bool) throws {
        let file = try #require(ConfigurationFile(relativePath: path, in: "/etc/relight", bytes: []))
        #expect(file.kind == kind)
        #expect(file.isDropIn == isDropIn)
        #expect(file.path == "/etc/relight/" + path)
    }

    @Test(arguments: [
        "other.conf", "views/v.view~", "views/.v.view", "views/v.view.d/1.txt", "views/v.view.d/.x.conf", "v.view",
        "views/a/v.view", "pools/p.view", "", "/", "views/", ".d/x.conf", "x.d/y.d/z.conf", "views/v.pool.d/1.conf",
    ]) func otherFilesAreIgnored(path: String) {
        #expect(ConfigurationFile(relativePath: path, bytes: []) == nil)
    }

    @Test func reloadNamesWhatDiffers() {
        let old = load(
            ("pools/a.pool", "[Pool]\nWarmSlots=1"), ("pools/b.pool", "[Pool]"),
            ("views/same.view", "[View]\nURL=http://same.test/"), ("views/gone.view", "[View]\nURL=http://gone.test/"),
            ("views/moved.view", "[View]\nURL=http://moved.test/\nPool=a")
        ).configuration
        let new = load(
            ("relight.conf", "[Relight]\nLogLevel=debug"),
            ("pools/a.pool", "[Pool]\nWarmSlots=2\nStandby=no"), ("pools/c.pool", "[Pool]"),
            ("views/same.view", "[View]\nURL=http://same.test/\nFullscreen=yes"),
            ("views/moved.view", "[View]\nURL=http://moved.test/2\nPool=c"),
            ("views/new.view", "[View]\nURL=http://new.test/")
        ).configuration
        let changes = Configuration.changes(from: old, to: new)
        #expect(changes.addedPools == ["c"])
        #expect(changes.removedPools == ["b"])
        #expect(changes.changedPools == [.init(name: "a", keys: ["WarmSlots", "Standby"])])
        #expect(changes.addedViews == ["new"])
        #expect(changes.removedViews == ["gone"])
        #expect(changes.changedViews == [.init(name: "moved", keys: ["URL", "Pool"])])
        #expect(changes.daemonKeys == ["LogLevel"])
        #expect(Configuration.changes(from: new, to: new).isEmpty)
    }
}
