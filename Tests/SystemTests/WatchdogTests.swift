// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import TestSupport
import Testing
import Wire

extension UnderSystemd {
    /// A blocked event loop does not keep the pages from their cookies for ever: systemd notices, and starts it again.
    @Test func theWatchdogEndsABlockedLoop() throws {
        let service = try Service(
            ["pools/default.pool": Service.pool(), "views/lobby.view": "[View]\nURL=http://fake.test/\n"],
            dropIn: "WatchdogSec=2\n")
        try service.sandbox.check("systemctl start relightd.socket")
        try service.start()
        try service.evaluate("set cookie login=kept-over-the-watchdog")
        try service.evaluate("scroll 77")
        try service.control("snapshot lobby")

        // An idle loop is not a blocked one: after more than two periods it is still the same process.
        let pid = try service.mainPID()
        try service.sandbox.check("sleep 5")
        #expect(try service.mainPID() == pid)

        try service.sandbox.check("kill -STOP \(pid)")
        _ = try service.mainPID(after: pid)
        // Whoever calls meanwhile waits at the socket instead of failing.
        try service.waitUntilReady()
        #expect(try service.property("NRestarts") == "1")
        #expect(try service.messages().contains("Failed with result 'watchdog'"))
        #expect(try service.evaluate("document.cookie").contains("login=kept-over-the-watchdog"))
        #expect(try service.evaluate("state").contains("77"))
        #expect(try service.hostProcesses().count == 1)
    }
}
