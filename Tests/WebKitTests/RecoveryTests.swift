// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Bench
import Glibc
import RelightKit
import TestSupport
import Testing
import Wire

/// A real page in real WebKit under a real relightd, on a private display.
@Suite(.serialized) struct RecoveryTests {
    private static func start(_ server: PageServer, standby: Bool = false) throws -> DaemonProcess {
        try DaemonProcess(files: [
            "pools/default.pool": """
            [Pool]
            Renderer=webkit
            Display=headless
            Geometry=800x600
            WarmSlots=1
            Standby=\(standby ? "yes" : "no")
            Curtain=no
            """,
            "views/lobby.view": "[View]\nURL=\(server.url("/login"))\n",
        ])
    }

    private static func waitUntilReady(_ client: ControlClient, standby: Bool = false) throws {
        try eventually("the view is ready, with its spares", seconds: 120) {
            let status = try client.status()
            let active = status.hosts.filter { $0.role == "active" && $0.warmSlots >= 1 }
            let standbys = status.hosts.filter { $0.role == "standby" && $0.warmSlots >= 1 }
            let isComplete = !active.isEmpty && (!standby || !standbys.isEmpty)
            return isComplete && status.views.allSatisfy { $0.state == .ready } ? true : nil
        }
    }

    @Test func aKilledPageComesBackAsItWas() throws {
        let server = try PageServer()
        defer { server.stop() }
        let daemon = try Self.start(server, standby: true)
        let client = try daemon.client()
        for (target, path) in [(Control.KillParameters.Target.content, "sameHost"), (.host, "standby")] {
            try Self.waitUntilReady(client, standby: true)
            let typed = "typed before the \(target.rawValue) kill"
            _ = try client.evaluate(
                view: "lobby",
                script: """
                    { const field = document.querySelector("input[type=text]"); field.value = "\(typed)";
                      field.dispatchEvent(new Event("input", {bubbles: true})); window.scrollTo(0, 777); 0 }
                    """)
            try eventually("the state is on disk") {
                let state = try client.snapshot(view: "lobby")
                return state.snapshotAt != nil && state.cookies >= 2 ? true : nil
            }
            let count = try client.incidents().count
            _ = try client.kill(view: "lobby", target: target)
            let incident = try eventually("the incident is over", seconds: 60) {
                let incidents = try client.incidents()
                // The newest is the first.
                return incidents.count > count && incidents[0].outcome != nil ? incidents[0] : nil
            }
            #expect(incident.outcome == "recovered")
            #expect(incident.path == path)
            #expect(incident.timeline.map(\.step).contains("firstPaint"))
            let found = try client.evaluate(
                view: "lobby",
                script:
                    "({url: location.pathname, y: scrollY, typed: document.querySelector('input[type=text]').value})")
            #expect(found["url"]?.string == "/")
            #expect(found["typed"]?.string == typed)
            #expect(abs((found["y"]?.integer ?? 0) - 777) <= 2)
            // The login is a session cookie that no script sees; the server does.
            let cookies = server.log.entries(from: 0).last { $0.target == "/" || $0.target.hasPrefix("/?") }?
                .cookieHeader
            #expect(cookies?.contains("session=") == true)
        }
    }

    /// Closing a handled dialog gave WebKit's reference back twice, and ended the host with SIGSEGV.
    @Test func aDialogEndsNothing() throws {
        let server = try PageServer()
        defer { server.stop() }
        let daemon = try Self.start(server)
        let client = try daemon.client()
        try Self.waitUntilReady(client)
        let host = try client.list().first?.hostPID
        let answers = try client.evaluate(view: "lobby", script: "[alert('a'), confirm('b'), prompt('c')].map(String)")
        #expect(answers == .array([.string("undefined"), .string("false"), .string("null")]))
        #expect(try client.list().first?.hostPID == host)
        #expect(try client.incidents().isEmpty)
    }
}
