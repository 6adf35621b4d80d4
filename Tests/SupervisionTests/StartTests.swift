// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

/// From nothing to a page on screen, and what may go wrong on the way.
@Suite struct StartTests {
    @Test func coldStartSpawnsBindsAndShowsWithoutIncident() throws {
        var stage = Stage()
        #expect(stage.send(.configurePool("p", PoolPolicy())).isEmpty)
        let host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        #expect(host == HostID(1))
        #expect(stage.greet(host).isEmpty)
        let binding = try stage.send(.slotReady(host, slot: 7)).bind(of: "v")
        #expect(binding.host == host && binding.slot == 7 && binding.restoresState && !binding.bringsCookies)
        #expect(stage.send(stage.progress(binding, .loadStarted)).isEmpty)
        #expect(stage.send(stage.verified(binding)) == [.viewReady(view: "v", host: host, slot: 7)])
        #expect(stage.history.opened.isEmpty)
    }

    @Test func theHostIsAskedForASlotForEachWaitingView() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy(warmSlots: 2)))
        let host = try stage.send(.openView("a", pool: "p")).spawn(.active)
        for view in ["b", "c", "d"] { stage.send(.openView(view, pool: "p")) }
        #expect(stage.greet(host) == [.warm(host, count: 4)])
        let first = stage.send(.slotReady(host, slot: 1))
        #expect(first.binds.map(\.view) == ["a"])
        for slot in 2...4 { stage.send(.slotReady(host, slot: slot)) }
        #expect(stage.history.binds.map(\.view) == ["a", "b", "c", "d"])
        #expect(stage.machine.hosts[host]?.wantedWarm == 2)
    }

    /// A host that still makes slots for those that wait must not make one more for each that it is given.
    @Test func aHostHearsOfFewerSlotsBeforeTheBindAndOfMoreAfterIt() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy()))
        let host = try stage.send(.openView("a", pool: "p")).spawn(.active)
        for view in ["b", "c"] { stage.send(.openView(view, pool: "p")) }
        stage.greet(host)
        let falling = stage.send(.slotReady(host, slot: 1))
        #expect(falling.first == .warm(host, count: 2) && falling.last?.isBind == true)

        var other = Stage()
        let active = try other.startPool("p", PoolPolicy(keepsStandby: true), views: ["a", "b", "c"])
        let rising = other.send(.hostExited(active))
        let warm = try #require(rising.firstIndex { if case .warm = $0 { true } else { false } })
        let bind = try #require(rising.firstIndex { $0.isBind })
        #expect(warm > bind)
    }

    @Test func aViewOpenedLaterTakesTheSpare() throws {
        var stage = Stage()
        let host = try stage.startPool()
        let actions = stage.send(.openView("w", pool: "p"))
        #expect(actions.binds.map(\.host) == [host])
        #expect(actions.spawns.isEmpty)
    }

    @Test func aHostWithoutHelloIsKilledAndReplacedAfterItsExit() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy(helloTimeout: .seconds(10))))
        let host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        stage.send(.hostSpawned(host))
        #expect(stage.wait(.milliseconds(9999)).isEmpty)
        let actions = stage.wait(.milliseconds(1))
        #expect(actions.kills == [host])
        #expect(actions.spawns.isEmpty)
        #expect(stage.send(.hostExited(host)).spawns.count == 1)
        #expect(stage.history.opened.isEmpty)
    }

    @Test func helloAfterTheVerdictChangesNothing() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy()))
        let host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        stage.wait(.seconds(10))
        #expect(stage.send(.hostGreeted(host)).isEmpty)
        #expect(stage.send(.slotReady(host, slot: 1)).isEmpty)
        #expect(stage.machine.ignoredEvents == 2)
    }

    @Test func aHostThatNeverMakesSlotsIsReplaced() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy(recoveryTimeout: .seconds(30))))
        let host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        stage.greet(host)
        #expect(stage.wait(.milliseconds(29_999)).kills.isEmpty)
        #expect(stage.wait(.milliseconds(1)).kills == [host])
        #expect(stage.send(.hostExited(host)).spawns.count == 1)
    }

    @Test func aHostThatMakesSlotsSlowlyButSteadilyIsLeftAlone() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy(recoveryTimeout: .seconds(30))))
        let host = try stage.send(.openView("0", pool: "p")).spawn(.active)
        for view in 1..<10 { stage.send(.openView("\(view)", pool: "p")) }
        stage.greet(host)
        for slot in 0..<10 {
            stage.wait(.seconds(20))
            stage.send(stage.verified(try stage.send(.slotReady(host, slot: slot)).bind(of: "\(slot)")))
        }
        #expect(stage.history.kills.isEmpty)
        #expect(stage.history.ready.count == 10)
    }

    @Test func aHostThatStopsMakingSlotsHalfWayIsReplaced() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy(recoveryTimeout: .seconds(30))))
        let host = try stage.send(.openView("a", pool: "p")).spawn(.active)
        stage.send(.openView("b", pool: "p"))
        stage.greet(host)
        stage.wait(.seconds(20))
        stage.send(stage.verified(try stage.send(.slotReady(host, slot: 1)).bind(of: "a")))
        #expect(stage.wait(.milliseconds(29_999)).kills.isEmpty)
        #expect(stage.wait(.milliseconds(1)).kills == [host])
    }

    @Test func spawnsThatFailAreTriedEverLaterAndNeverGivenUp() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy()))
        var host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        var pauses: [Duration] = []
        for _ in 0..<40 {
            let failedAt = stage.now
            if let next = stage.send(.hostSpawnFailed(host)).spawns.first {
                host = next.host
                pauses.append(.zero)
                continue
            }
            let due = try #require(stage.machine.nextDeadline)
            host = try stage.wait(due - stage.now).spawn(.active)
            pauses.append(stage.now - failedAt)
        }
        #expect(pauses[0] == .zero)
        for (failures, pause) in pauses.enumerated().dropFirst() {
            let full = min(Duration.milliseconds(100) * (1 << min(failures - 1, 20)), .seconds(30))
            #expect(pause <= full && pause >= full * 3 / 4, "after \(failures + 1) failures: \(pause)")
        }
        stage.greet(host)
        #expect(stage.send(.slotReady(host, slot: 1)).binds.count == 1)
    }

    @Test func aHostThatStartsAgainAfterMuchTroubleIsTrusted() throws {
        var stage = Stage()
        stage.isObedient = true
        stage.send(.configurePool("p", PoolPolicy()))
        stage.isObedient = false
        var host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        for _ in 0..<8 {
            stage.send(.hostSpawnFailed(host))
            host = try #require(stage.wait(.seconds(30)).spawns.last?.host ?? stage.machine.pools["p"]?.active)
        }
        stage.isObedient = true
        stage.greet(host, slots: 2)
        stage.wait(.seconds(120))
        #expect(try stage.send(.hostExited(stage.host(of: "v"))).spawns.count == 1)
    }

    @Test func aViewOfAnUnknownPoolIsIgnored() {
        var stage = Stage()
        #expect(stage.send(.openView("v", pool: "p")).isEmpty)
        #expect(stage.machine.ignoredEvents == 1)
    }

    @Test func aViewOpenedTwiceIsOpenedOnce() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy()))
        stage.send(.openView("v", pool: "p"))
        #expect(stage.send(.openView("v", pool: "p")).isEmpty)
        #expect(stage.machine.pools["p"]?.views == ["v"])
    }

    @Test func aPoolWithoutViewsHasNoHosts() throws {
        var stage = Stage()
        #expect(stage.send(.configurePool("p", PoolPolicy(keepsStandby: true))).isEmpty)
        #expect(stage.machine.nextDeadline == nil)
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let standby = try stage.standby()
        let actions = stage.send(.closeView("v"))
        #expect(actions.stops == [host, standby])
        stage.send(.hostExited(host))
        stage.send(.hostExited(standby))
        #expect(stage.machine.nextDeadline == nil)
    }
}

extension Action {
    var isBind: Bool { if case .bind = self { true } else { false } }
}
