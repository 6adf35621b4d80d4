// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

/// Hosts and pages that live but do not answer; and silence that is nobody's fault.
@Suite struct HeartbeatTests {
    private let policy = PoolPolicy(
        warmSlots: 1, heartbeatInterval: .seconds(5), heartbeatTimeout: .seconds(15), helloTimeout: .seconds(10))

    @Test func pingsGoOutAtTheIntervalAndCountUp() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        let pings = stage.wait(.seconds(20)).filter { if case .ping = $0 { true } else { false } }
        #expect(pings == (1...4).map { .ping(host, sequence: $0) })
    }

    @Test func anUnresponsiveHostIsKilledAndItsViewsMoveAfterItsExit() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        stage.wait(.seconds(30))
        stage.deaf = [host]
        #expect(stage.wait(.seconds(15)).kills.isEmpty, "silent no longer than the timeout")
        let actions = stage.wait(.seconds(10))
        #expect(actions.kills == [host])
        #expect(actions.binds.isEmpty && actions.opened.isEmpty && actions.spawns.isEmpty)
        let exit = stage.send(.hostExited(host))
        #expect(exit.opened.map(\.cause) == [.unresponsive])
        let cold = try exit.spawn(.active)
        let binding = try stage.greet(cold, slots: 1).bind(of: "v")
        #expect(stage.send(stage.verified(binding)).closed.map(\.cause) == [.unresponsive])
    }

    @Test func aHostThatAnswersJustInTimeLives() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        stage.deaf = [host]
        for _ in 0..<50 {
            stage.wait(.seconds(15))
            stage.send(.pong(host, silent: [:]))
        }
        #expect(stage.history.kills.isEmpty)
    }

    @Test func anUnresponsivePageMovesAndItsNeighbourStays() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy, views: ["a", "b"])
        let (a, b) = (try stage.slot(of: "a"), try stage.slot(of: "b"))
        #expect(stage.send(.pong(host, silent: [a: .seconds(15), b: .zero])).isEmpty, "not longer than the timeout")
        let actions = stage.send(.pong(host, silent: [a: .seconds(16), b: .zero]))
        #expect(actions.opened.map(\.view) == ["a"])
        #expect(actions.opened.map(\.cause) == [.unresponsive])
        #expect(actions.releases == [a], "the hung page must go")
        #expect(actions.binds.map(\.view) == ["a"])
        #expect(actions.kills.isEmpty)
        #expect(stage.isShown("b"))
        #expect(stage.send(.pong(host, silent: [a: .seconds(20), b: .zero])).isEmpty, "known already")
    }

    @Test func aPageThatStillLoadsIsNotUnresponsive() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        let binding = try stage.send(.slotLost(host, slot: try stage.slot(of: "v"), .crashed, at: stage.now))
            .bind(of: "v")
        #expect(stage.send(.pong(host, silent: [binding.slot: .seconds(60)])).isEmpty)
    }

    @Test func silenceOfSlotsThatShowNothingIsIgnored() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        let spare = try #require(stage.machine.hosts[host]?.warm.first)
        #expect(stage.send(.pong(host, silent: [spare: .seconds(60), 12345: .seconds(60)])).isEmpty)
    }

    @Test func aHostInUninterruptibleSleepIsGivenUp() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        stage.send(.hostFailed(host))
        #expect(stage.wait(.milliseconds(1999)).isEmpty)
        let actions = stage.wait(.milliseconds(1))
        #expect(actions.opened.map(\.cause) == [.hostExited])
        #expect(actions.spawns.map(\.role) == [.active])
        let ignored = stage.machine.ignoredEvents
        #expect(stage.send(.hostExited(host)).isEmpty, "it ended after all")
        #expect(stage.machine.ignoredEvents == ignored + 1)
    }

    @Test func aNeverEndingTimeoutKillsNobody() throws {
        var stage = Stage()
        var policy = policy
        policy.heartbeatTimeout = .seconds(100 * 365 * 86400)
        let host = try stage.startPool("p", policy)
        stage.deaf = [host]
        stage.wait(.seconds(3600))
        #expect(stage.history.kills.isEmpty)
    }

    // MARK: - Starvation

    @Test func afterALateTickNoHostIsKilledForItsSilence() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        stage.deaf = [host]
        stage.wait(.seconds(15))
        #expect(stage.sleep(.seconds(600)).kills.isEmpty)
        #expect(stage.wait(.seconds(14)).kills.isEmpty)
        stage.deaf = []
        #expect(stage.wait(.seconds(60)).kills.isEmpty)
    }

    @Test func aHostThatStaysSilentAfterTheGraceIsKilled() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        stage.wait(.seconds(15))
        stage.deaf = [host]
        stage.sleep(.seconds(600))
        #expect(stage.wait(.seconds(60)).kills.first == host)
    }

    @Test func afterALateTickNoPageIsMovedForItsSilence() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        let slot = try stage.slot(of: "v")
        stage.sleep(.seconds(600))
        #expect(stage.send(.pong(host, silent: [slot: .seconds(600)])).isEmpty)
        stage.wait(.seconds(15))
        #expect(stage.send(.pong(host, silent: [slot: .seconds(615)])).opened.count == 1)
    }

    @Test func aLateTickIsNoEvidenceAgainstAHostThatIsStarting() throws {
        var stage = Stage()
        stage.send(.configurePool("p", policy))
        let host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        stage.send(.hostSpawned(host))
        #expect(stage.sleep(.seconds(600)).kills.isEmpty)
        stage.wait(.seconds(5))
        #expect(stage.greet(host, slots: 1).binds.count == 1)
    }

    @Test func aHostThatStillSaysNothingAfterTheGraceIsKilled() throws {
        var stage = Stage()
        stage.send(.configurePool("p", policy))
        let host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        stage.sleep(.seconds(600))
        #expect(stage.wait(.seconds(16)).kills == [host])
    }

    @Test func aLateTickIsNoEvidenceAgainstAHostThatMakesSlots() throws {
        var stage = Stage()
        stage.send(.configurePool("p", policy))
        let host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        stage.greet(host)
        #expect(stage.sleep(.seconds(600)).kills.isEmpty)
        #expect(stage.wait(.seconds(60)).kills.first == host)
    }

    @Test func aLateTickIsNoEvidenceAgainstAPageThatLoads() throws {
        var stage = Stage()
        stage.send(.configurePool("p", policy))
        let host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        let binding = try stage.greet(host, slots: 1).bind(of: "v")
        #expect(stage.sleep(.seconds(600)).opened.isEmpty)
        #expect(stage.send(stage.verified(binding)).ready == ["v"])
    }

    @Test func aLateTickGivesAStoppingHostItsTimeBack() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        stage.send(.closeView("v"))
        #expect(stage.sleep(.seconds(600)).kills.isEmpty)
        #expect(stage.wait(.seconds(60)).kills == [host])
    }

    /// Another deadline shows that we were starved; one that was due a moment ago must not be held against anybody.
    @Test func onlyOneDeadlineNeedsToBeLateForAllToGetGrace() throws {
        var stage = Stage()
        var quick = policy
        quick.helloTimeout = .seconds(10)
        stage.send(.configurePool("p", quick))
        stage.send(.configurePool("q", quick))
        stage.send(.openView("v", pool: "p"))
        stage.wait(.seconds(5))
        stage.send(.openView("w", pool: "q"))
        #expect(stage.sleep(.seconds(10)).kills.isEmpty, "one is 5 s late, the other on the point")
    }

    @Test func anExitIsAnExitAfterALateTickToo() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        stage.sleep(.seconds(600))
        #expect(stage.send(.hostExited(host)).opened.map(\.cause) == [.hostExited])
    }
}
