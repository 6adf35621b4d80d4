// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import TestSupport
import Testing
import Wire

extension UnderSystemd {
    /// Whoever calls first starts the service, and waits until it can answer.
    @Test func aCallStartsIt() throws {
        let service = try Service([
            "pools/default.pool": Service.pool(), "views/lobby.view": "[View]\nURL=http://fake.test/\n",
        ])
        try service.sandbox.check("systemctl start relightd.socket")
        #expect(try service.sandbox.run("systemctl is-active relightd.service").output == "inactive\n")
        #expect(
            try service.sandbox.check("stat --format '%F %a %U %G' /run/relight/io.relight")
                == "socket 660 relight relight")

        // The view is known to the very first caller.
        #expect(try service.list().map(\.name) == ["lobby"])
        #expect(try service.sandbox.check("systemctl is-active relightd.service") == "active")
        try service.waitUntilReady()

        // It was started for the socket and listens on that; there is no second one.
        #expect(try service.property("TriggeredBy") == "relightd.socket")
        #expect(try service.sandbox.check("find /run/relight -type s") == "/run/relight/io.relight")

        // The socket outlives the service, which the next call starts again.
        let pid = try service.mainPID()
        try service.sandbox.check("systemctl stop relightd.service")
        #expect(try service.list().map(\.name) == ["lobby"])
        #expect(try service.mainPID() != pid)

        // Without the socket unit relightd makes the socket itself.
        try service.sandbox.check("systemctl stop relightd.socket relightd.service; systemctl start relightd.service")
        #expect(try service.list().map(\.name) == ["lobby"])
    }

    /// The group may call; others may not.
    @Test func strangersAreKeptOut() throws {
        let service = try Service([
            "pools/default.pool": Service.pool(), "views/lobby.view": "[View]\nURL=http://fake.test/\n",
        ])
        try service.sandbox.check("systemctl start relightd.socket")
        try service.start()
        let stranger = try service.sandbox.run("runuser -u nobody -- relightctl list")
        #expect(stranger.status == 3)
        #expect(stranger.errors.contains("relight"))
        // A member of the group may look, but not change anything.
        let member = "setpriv --reuid nobody --regid relight --clear-groups relightctl"
        #expect(try service.sandbox.check("\(member) list").contains("lobby"))
        let refused = try service.sandbox.run("\(member) close lobby")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("may not call"))
        #expect(try service.list().count == 1)
    }
}
