// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Systemd
import TestSupport
import Testing
import Wire

extension UnderSystemd {
    /// The start of the service, and what `systemctl` tells of it.
    @Test func itIsReadyWhenItSaysSo() throws {
        let service = try Service([
            "pools/default.pool": Service.pool(), "views/lobby.view": "[View]\nURL=http://fake.test/\n",
        ])
        #expect(try service.sandbox.run("systemctl is-active relightd").output == "inactive\n")
        // It names the service, so that systemd still knows how that ended when it has.
        try service.sandbox.check("systemctl start relightd.socket")

        // READY=1 comes when the control socket answers and the views are known, not when they are on screen.
        let answer = try service.sandbox.check("systemctl start relightd; relightctl --json list")
        #expect(answer.contains("\"lobby\""))
        #expect(try service.sandbox.check("systemctl is-active relightd") == "active")
        #expect(try service.property("Type") == "notify")
        let started = try service.entry("READY=1", "MESSAGE_ID=\(MessageID.daemonStarted.rawValue)")
        #expect(started["_PID"] == "\(try service.mainPID())")

        try eventually("the status says that the view is ready") {
            try service.property("StatusText") == "1 of 1 views ready" ? true : nil
        }
        let status = try service.sandbox.check("systemctl status relightd")
        #expect(status.contains("Active: active (running)"))
        #expect(status.contains("Status: \"1 of 1 views ready\""))
        #expect(status.contains("view lobby is on screen"))

        // A failed view shows there, too.
        try service.configure(["views/hall.view": "[View]\nURL=http://fake.test/hall\n"])
        try service.sandbox.check("systemctl reload relightd")
        try eventually("the status counts the new view") {
            try service.property("StatusText") == "2 of 2 views ready" ? true : nil
        }

        try service.sandbox.check("systemctl stop relightd")
        #expect(try service.property("Result") == "success")
        #expect(try service.property("StatusText") == "stopped")
    }

    /// A configuration that cannot be used, and a directory that is not there, do not keep the service from running.
    @Test func itStartsWithoutAConfiguration() throws {
        let service = try Service([:])
        try service.sandbox.check("rm -r /etc/relight; systemctl start relightd")
        #expect(try service.list().isEmpty)
        let warning = try service.entry("a warning", "MESSAGE_ID=\(MessageID.configurationRejected.rawValue)")
        #expect(warning["PRIORITY"] == "4")
        #expect(warning.message.contains("/etc/relight"))
        #expect(try service.property("StatusText") == "0 of 0 views ready")
    }
}
