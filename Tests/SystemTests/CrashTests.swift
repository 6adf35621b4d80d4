// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import TestSupport
import Testing
import Wire

extension UnderSystemd {
    /// SIGKILL of relightd itself, several times in a row: it comes back with the cookies, and with nothing twice.
    @Test func aKilledSupervisorComesBack() throws {
        let service = try Service([
            "pools/default.pool": Service.pool("fork-escapee"), "pools/other.pool": Service.pool(),
            "views/lobby.view": "[View]\nURL=http://fake.test/\n",
            "views/hall.view": "[View]\nURL=http://fake.test/hall\nPool=other\n",
        ])
        try service.start(views: 2)
        let processes = try service.processes().count
        for round in 1...3 {
            let (pid, host) = (try service.mainPID(), try service.view().hostPID)
            try service.evaluate("set cookie round=\(round)")
            try service.evaluate("scroll \(round)")
            try service.control("snapshot lobby")

            try service.sandbox.check("kill -KILL \(pid)")
            _ = try service.mainPID(after: pid)
            try eventually("both views are back") {
                // Until systemd has started it again there is nobody to ask.
                (try? service.list())?.count { $0.state == .ready } == 2 ? true : nil
            }
            #expect(try service.view().hostPID != host)
            #expect(try service.evaluate("document.cookie").contains("round=\(round)"))
            #expect(try service.evaluate("state").contains("\"scrollY\":\(round)"))
            #expect(try service.evaluate("document.cookie", in: "hall").contains("round") == false)
        }
        #expect(try service.property("NRestarts") == "3")
        #expect(try service.hostProcesses().count == 2)
        // What the killed ones had started is gone, too: one relightd, and each host with what belongs to it.
        try eventually("there are as many processes as before") {
            try service.processes().count == processes ? true : nil
        }
    }
}
