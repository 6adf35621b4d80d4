// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import TestSupport
import Testing
import Wire

extension UnderSystemd {
    /// Hosts that do not stop when told to, and what they started in sessions of their own, end with the service.
    @Test(arguments: ["", "ignore-stop", "fork-grandchild,fork-escapee", "ignore-stop,fork-grandchild,fork-escapee"])
    func aStopLeavesNothingBehind(script: String) throws {
        let service = try Service([
            "pools/default.pool": Service.pool(script, "StopTimeout=500ms\n"),
            "views/lobby.view": "[View]\nURL=http://fake.test/\n",
        ])
        try service.start()
        let helpers = try service.status().hosts.flatMap(\.helperPIDs)
        #expect(helpers.count == (script.contains("fork") ? 2 : 0))
        if !helpers.isEmpty {
            // The probe can see them.
            #expect(try service.processes().count { $0.command == "sleep 600" } == 2)
        }

        let seconds = try service.sandbox.check("start=$SECONDS; systemctl stop relightd; echo $((SECONDS - start))")
        #expect(Int(seconds) ?? .max < 20)
        #expect(try service.processes().isEmpty)
        // Ended by relightd in good time, not by systemd at TimeoutStopSec=.
        #expect(try service.property("Result") == "success")
        let messages = try service.messages()
        #expect(messages.contains("relightd has stopped"))
        #expect(!messages.contains("timed out"))
        #expect(try service.sandbox.check("find /sys/fs/cgroup -path '*/relightd.service*'") == "")
    }

    /// If relightd cannot end them any more, systemd does.
    @Test func systemdEndsWhatABlockedSupervisorLeaves() throws {
        let service = try Service(
            [
                "pools/default.pool": Service.pool("ignore-stop,fork-grandchild,fork-escapee"),
                "views/lobby.view": "[View]\nURL=http://fake.test/\n",
            ], dropIn: "TimeoutStopSec=2\nWatchdogSec=0\n")
        try service.start()
        // Unlike SIGSTOP, which systemd undoes before it signals, the freezer holds it.
        try service.sandbox.check("echo 1 >\(service.controlGroup())/supervisor/cgroup.freeze")
        try service.sandbox.check("systemctl stop relightd")
        #expect(try service.property("Result") == "timeout")
        #expect(try service.processes().isEmpty)
        #expect(try service.sandbox.check("find /sys/fs/cgroup -path '*/relightd.service*'") == "")
    }
}
