// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

@Suite struct ScaleTests {
    @Test func aThousandPools() throws {
        var stage = Stage()
        stage.isObedient = true
        for index in 0..<1000 {
            stage.send(.configurePool("pool\(index)", PoolPolicy(heartbeatInterval: .seconds(60))))
            stage.send(.openView("view\(index)", pool: "pool\(index)"))
        }
        #expect(stage.machine.hosts.count == 1000)
        #expect((0..<1000).allSatisfy { stage.isShown("view\($0)") })
        // All hosts die in the same instant, and come back.
        let hosts = stage.machine.hosts.keys.sorted()
        let start = stage.history.count
        for host in hosts { stage.send(.hostExited(host)) }
        #expect(stage.history[start...].count { $0.isBind } == 1000)
        #expect(stage.history.closed.count == 1000)
        stage.wait(.seconds(60))
        #expect(stage.history.kills.isEmpty)
        #expect(stage.machine.deadlines.count == 1000)
    }

    @Test func twoHundredViewsWhoseHostDies() throws {
        var stage = Stage()
        stage.isObedient = true
        let names = (0..<200).map { "view\($0)" }
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true), views: names)
        let standby = try stage.standby()
        let actions = stage.send(.hostExited(host))
        #expect(actions.opened.map(\.view) == names)
        #expect(Set(actions.binds.map(\.view)) == Set(names) && actions.binds.allSatisfy { $0.host == standby })
        #expect(actions.closed.allSatisfy { $0.path == .standby && $0.attempts == 1 })
        #expect(names.allSatisfy { stage.isShown($0) })
        #expect(actions.spawns.map(\.role) == [.standby])
        #expect(stage.machine.hosts[standby]?.bound.count == 200)
        #expect(stage.machine.hosts[standby]?.wantedWarm == 1)
    }

    @Test func theLongestWaitingViewIsServedFirst() throws {
        var stage = Stage()
        stage.isObedient = true
        let names = (0..<20).map { "view\($0)" }
        let host = try stage.startPool("p", PoolPolicy(warmSlots: 0), views: names)
        stage.isObedient = false
        for name in names.reversed() {
            stage.send(.slotLost(host, slot: try stage.slot(of: name), .crashed, at: stage.now))
        }
        for slot in 1000..<1020 { stage.send(.slotReady(host, slot: slot)) }
        #expect(stage.history.binds.suffix(20).map(\.view) == names.reversed())
    }
}
