// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Systemd
import TestSupport
import Testing
import Wire

extension UnderSystemd {
    /// `systemctl reload`: what changed changes, what did not goes on in the same process.
    @Test func aReloadLeavesUnchangedViewsAlone() throws {
        let service = try Service([
            "pools/default.pool": Service.pool(), "pools/other.pool": Service.pool(),
            "views/lobby.view": "[View]\nURL=http://fake.test/\n",
            "views/hall.view": "[View]\nURL=http://fake.test/hall\nPool=other\n",
            "views/stairs.view": "[View]\nURL=http://fake.test/stairs\n",
        ])
        try service.start(views: 3)
        let (pid, lobby, hall) = (try service.mainPID(), try service.view("lobby"), try service.view("hall"))

        try service.configure([
            "views/door.view": "[View]\nURL=http://fake.test/door\n",
            "views/hall.view": "[View]\nURL=http://fake.test/hall?changed\nPool=other\n",
        ])
        try service.sandbox.check("rm /etc/relight/views/stairs.view; systemctl reload relightd")
        try eventually("the views are those of the files") {
            let views = try service.list()
            let isChanged = views.first { $0.name == "hall" }?.url == "http://fake.test/hall?changed"
            let isReady = views.allSatisfy { $0.state == .ready }
            return views.map(\.name) == ["door", "hall", "lobby"] && isChanged && isReady ? true : nil
        }
        let after = try service.view("lobby")
        #expect(after.hostPID == lobby.hostPID)
        #expect(after.contentPID == lobby.contentPID)
        #expect(after.since == lobby.since)
        #expect(try service.view("hall").contentPID == hall.contentPID)
        #expect(try service.view("door").hostPID == lobby.hostPID)
        #expect(try service.mainPID() == pid)
        #expect(try service.incidents().isEmpty)
        #expect(try service.property("ActiveState") == "active")
        _ = try service.entry("the reload", "MESSAGE_ID=\(MessageID.configurationLoaded.rawValue)")
    }

    /// A mistake is named with its file and line; what ran before goes on.
    @Test func aBrokenReloadChangesNothing() throws {
        let service = try Service([
            "pools/default.pool": Service.pool(), "views/lobby.view": "[View]\nURL=http://fake.test/\n",
        ])
        try service.start()
        let (pid, lobby) = (try service.mainPID(), try service.view())

        try service.configure([
            "views/lobby.view": "[View]\nUlr=http://fake.test/other\n",
            "views/hall.view": "[View]\nURL=http://fake.test/hall\n",
        ])
        try service.sandbox.check("systemctl reload relightd")
        let error = try service.entry("an error", "MESSAGE_ID=\(MessageID.configurationRejected.rawValue) PRIORITY=3")
        #expect(error.message.contains("lobby.view:2: "))
        #expect(error.message.contains("did you mean 'URL'?"))
        #expect(error["RELIGHT_FILE"]?.hasSuffix("views/lobby.view") == true)
        // The other file counts all the same.
        try service.waitUntilReady(2)
        let after = try service.view()
        #expect(after.url == "http://fake.test/")
        #expect(after.hostPID == lobby.hostPID)
        #expect(after.since == lobby.since)
        #expect(try service.mainPID() == pid)
        #expect(try service.property("ActiveState") == "active")
        #expect(try service.sandbox.run("relightctl check").status == 4)

        // Mended, it is taken.
        try service.configure(["views/lobby.view": "[View]\nURL=http://fake.test/other\n"])
        try service.sandbox.check("systemctl reload relightd; relightctl check")
        try eventually("the view shows the other page") {
            try service.view().url == "http://fake.test/other" ? true : nil
        }
    }
}
