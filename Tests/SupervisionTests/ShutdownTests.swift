// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

/// The end: every host stops, is killed, or is given up; then `finished`, once.
@Suite struct ShutdownTests {
    @Test func withoutHostsItIsFinishedAtOnce() {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy()))
        #expect(stage.send(.shutDown) == [.finished])
        #expect(stage.send(.shutDown).isEmpty)
        #expect(stage.send(.tick).isEmpty)
    }

    @Test(arguments: ConfigurationChangeTests.Situation.allCases)
    func hostsThatStopEndIt(situation: ConfigurationChangeTests.Situation) throws {
        var stage = try ConfigurationChangeTests.stage(situation)
        stage.send(.shutDown)
        for host in stage.machine.hosts.keys.sorted() {
            #expect(stage.history.finishes == 0)
            stage.send(.hostExited(host))
        }
        #expect(stage.history.finishes == 1)
        #expect(stage.history.opened.map(\.id) == stage.history.closed.map(\.id))
        #expect(stage.machine.nextDeadline == nil)
    }

    @Test(arguments: ConfigurationChangeTests.Situation.allCases)
    func hostsThatIgnoreItAreKilledThenGivenUp(situation: ConfigurationChangeTests.Situation) throws {
        var stage = try ConfigurationChangeTests.stage(situation)
        let hosts = Set(stage.machine.hosts.keys)
        let start = stage.now
        stage.send(.shutDown)
        stage.wait(.seconds(5))
        #expect(Set(stage.history.kills) == hosts)
        #expect(stage.history.kills.count == hosts.count, "once each")
        stage.wait(.seconds(2))
        #expect(stage.history.finishes == 1)
        #expect(stage.now - start == .seconds(7))
        #expect(stage.machine.nextDeadline == nil)
        #expect(stage.history.opened.map(\.id) == stage.history.closed.map(\.id))
        stage.wait(.seconds(60))
        for host in hosts { stage.send(.hostExited(host)) }
        #expect(stage.history.finishes == 1)
    }

    @Test func everyHostIsAskedAndNoneIsStartedAnyMore() throws {
        var stage = Stage()
        let first = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let standby = try stage.standby()
        let second = try stage.startPool("q", PoolPolicy(), views: ["w"])
        #expect(stage.send(.shutDown).stops == [first, standby, second])
        let events: [Event] = [
            .openView("x", pool: "p"), .configurePool("r", PoolPolicy()), .slotReady(first, slot: 900),
            .slotLost(first, slot: try stage.slot(of: "v"), .crashed, at: stage.now),
            .networkLost(first, at: stage.now), .pong(first, silent: [:]), .retryView("v"),
        ]
        for event in events { #expect(stage.send(event).isEmpty, "\(event)") }
        #expect(stage.send(.hostExited(first)).isEmpty)
        #expect(stage.send(.hostExited(second)).isEmpty)
        #expect(stage.send(.hostExited(standby)) == [.finished])
    }

    @Test func openIncidentsAreClosedAndNoneIsOpenedAfterwards() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(), views: ["a", "b"])
        stage.send(.slotLost(host, slot: try stage.slot(of: "a"), .crashed, at: stage.now))
        #expect(stage.send(.shutDown).closed.map(\.outcome) == [.closed])
        #expect(stage.send(.hostExited(host)) == [.finished])
        #expect(stage.history.opened.count == 1)
    }

    @Test func aViewCanBeClosedDuringIt() throws {
        var stage = Stage()
        let host = try stage.startPool()
        stage.send(.shutDown)
        #expect(stage.send(.closeView("v")) == [.viewClosed(view: "v")])
        #expect(stage.send(.removePool("p")).isEmpty)
        #expect(stage.send(.hostExited(host)) == [.finished])
    }
}
