// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Bench
import TestSupport
import Testing
import Wire

extension UnderSystemd {
    /// A real page in a real engine, as the unit runs it: an unprivileged user, no new privileges, a display that relightd
    /// starts itself, and each page in a sandbox of WebKit's own (bubblewrap).
    @Test func webKitShowsAPageAndBringsItBack() throws {
        let server = try PageServer()
        defer { server.stop() }
        let service = try Service([
            "relight.conf": "[Relight]\nLogLevel=debug\n",
            "pools/default.pool": "[Pool]\nRenderer=webkit\nDisplay=headless\nWarmSlots=1\nStandby=no\nCurtain=no\n",
            "views/lobby.view": "[View]\nURL=\(server.url("/login"))\n",
        ])
        try service.sandbox.check("systemctl start relightd")
        try service.waitUntilReady(seconds: 120)
        // By way of a redirect that logs in.
        let view = try service.view()
        #expect(view.url == server.url("/"))
        #expect(view.title == "Relight demo page")
        try eventually("the login is on disk") {
            try service.control("cookies list lobby").contains("session") ? true : nil
        }
        let secret = "0nly-the-page-may-see-this"
        try service.evaluate("document.cookie = 'login=\(secret); max-age=1000; path=/'")
        try service.control("snapshot lobby")
        try service.control("screenshot lobby /tmp/lobby.png")
        #expect(try service.sandbox.check("head --bytes 4 /tmp/lobby.png | tail --bytes 3") == "PNG")

        try expectSandbox(service, contentPID: try #require(view.contentPID))

        // The page loads again in another process; who looks from outside finds it logged in.
        for target in ["", "--network", "--host"] {
            try service.waitUntilSettled(seconds: 60)
            let count = try service.incidents().count
            try service.control("kill lobby \(target)")
            try eventually("the incident is over", seconds: 60) {
                let incidents = try service.incidents()
                return incidents.count > count && incidents.allSatisfy { $0.outcome == "recovered" } ? true : nil
            }
            try service.waitUntilReady(seconds: 60)
            try expectLogin(server, secret)
        }
        #expect(try service.view().contentPID != view.contentPID)

        // And so it is after a restart, for cookies, too, that a browser would have forgotten.
        try service.sandbox.check("systemctl restart relightd")
        try service.waitUntilReady(seconds: 120)
        try expectLogin(server, secret)

        try service.sandbox.check("systemctl stop relightd")
        #expect(try service.property("Result") == "success")
        #expect(try service.processes().isEmpty)
        let found = try service.sandbox.run("journalctl --sync; journalctl --output export | grep --text \(secret)")
        #expect(found.output == "")
    }

    /// The content process is the user's, and in namespaces of its own.
    private func expectSandbox(_ service: Service, contentPID: Int32) throws {
        #expect(try service.sandbox.check("ps -o user= -p \(contentPID)") == "relight")
        let daemon = try service.mainPID()
        for namespace in ["user", "mnt", "pid"] {
            let links = try service.sandbox.check(
                "readlink /proc/\(contentPID)/ns/\(namespace) /proc/\(daemon)/ns/\(namespace)")
            let pair = links.split(separator: "\n")
            #expect(pair.count == 2 && pair.first != pair.last, "the page shares the \(namespace) namespace")
        }
        #expect(try service.processes().contains { $0.command.hasPrefix("/usr/bin/bwrap") })
        #expect(try service.processes().contains { $0.command.hasPrefix("Xvfb") })
    }

    /// The next request that the page makes of its own accord carries both cookies.
    private func expectLogin(_ server: PageServer, _ secret: String) throws {
        let position = server.log.count
        let request = try eventually("the server sees the page", seconds: 60) {
            server.log.entries(from: position).first { $0.path == "/report" }
        }
        #expect(request.cookie("session") == "s1")
        #expect(request.cookie("login") == secret)
    }
}
