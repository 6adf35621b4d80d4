// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import TestSupport
import Testing
import Wire

extension UnderSystemd {
    /// Each host is in a cgroup of its own below the unit's, and whatever it has started with it.
    @Test func hostsHaveControlGroupsOfTheirOwn() throws {
        let service = try Service([
            "pools/default.pool": Service.pool("fork-grandchild,fork-escapee"), "pools/other.pool": Service.pool(),
            "views/lobby.view": "[View]\nURL=http://fake.test/\n",
            "views/hall.view": "[View]\nURL=http://fake.test/hall\nPool=other\n",
        ])
        try service.start(views: 2)
        #expect(try service.property("Delegate") == "yes")
        let unit = try service.controlGroup()
        // No process in the inner node: with controllers on, the kernel would not let there be any.
        #expect(try service.members(ofGroup: unit).isEmpty)
        #expect(try service.members(ofGroup: unit + "/supervisor") == [try service.mainPID()])

        let groups = try hostGroups(service, unit)
        #expect(groups.count == 2)
        for host in try service.status().hosts {
            let group = try #require(groups.first { $0.contains(host.pid) })
            #expect(host.helperPIDs.allSatisfy(group.contains))
            #expect(host.networkPID.map(group.contains) == true)
        }
        let lobby = try service.view("lobby")
        #expect(groups.contains { $0.contains(lobby.hostPID ?? 0) && $0.contains(lobby.contentPID ?? 0) })
        let hall = try service.view("hall")
        #expect(groups.allSatisfy { $0.contains(lobby.hostPID ?? 0) != $0.contains(hall.hostPID ?? 0) })

        // A drill: the host dies, its view comes back in another one, the other pool sees nothing of it.
        let helpers = try service.status().hosts.first { $0.pid == lobby.hostPID }?.helperPIDs ?? []
        #expect(helpers.count == 2)
        try service.evaluate("set cookie login=kept-over-the-drill")
        try service.control("snapshot lobby")
        try service.control("kill lobby --host")
        let incident = try service.closedIncident()
        #expect(incident.outcome == "recovered")
        #expect(incident.cause == "hostExited")
        #expect(incident.hostPID == lobby.hostPID)
        try service.waitUntilReady(2)
        #expect(try service.view("lobby").hostPID != lobby.hostPID)
        #expect(try service.evaluate("document.cookie").contains("login=kept-over-the-drill"))
        #expect(try service.view("hall").contentPID == hall.contentPID)
        let processes = Set(try service.processes().map(\.pid))
        #expect(processes.isDisjoint(with: helpers))
        try eventually("the dead host's cgroup is gone") {
            let groups = try hostGroups(service, unit)
            return groups.count == 2 && groups.allSatisfy { !$0.isEmpty } ? true : nil
        }
    }

    private func hostGroups(_ service: Service, _ unit: String) throws -> [[Int32]] {
        try service.sandbox.check("find \(unit) -mindepth 1 -maxdepth 1 -type d -name 'host-*'").split(separator: "\n")
            .map { try service.members(ofGroup: String($0)) }
    }
}
