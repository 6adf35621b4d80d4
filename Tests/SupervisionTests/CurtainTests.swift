// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

/// The windows beneath: first to be mapped, never in the way.
@Suite struct CurtainTests {
    private let policy = PoolPolicy(hasCurtains: true)
    private let role = HostRole.curtain(view: "v")

    @Test func theCurtainHangsBeforeTheViewIsBound() throws {
        var stage = Stage()
        stage.send(.configurePool("p", policy))
        let actions = stage.send(.openView("v", pool: "p"))
        #expect(actions.spawns.map(\.role) == [role, .active])
        let curtain = try actions.spawn(role)
        stage.greet(try actions.spawn(.active), slots: 1)
        stage.greet(curtain)
        #expect(stage.history.binds.isEmpty)
        #expect(stage.send(.slotReady(curtain, slot: 1)).binds.map(\.view) == ["v"])
    }

    @Test func eachViewHasItsOwn() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy, views: ["a", "b"])
        #expect(Set(stage.history.spawns.map(\.role)) == [.active, .curtain(view: "a"), .curtain(view: "b")])
        let curtain = try #require(stage.machine.views["a"]?.curtain)
        #expect(stage.send(.closeView("a")).stops == [curtain])
    }

    @Test func aViewWaitsForItsCurtainOnlySoLong() throws {
        var stage = Stage()
        stage.send(.configurePool("p", policy))
        let actions = stage.send(.openView("v", pool: "p"))
        stage.greet(try actions.spawn(.active), slots: 1)
        stage.greet(try actions.spawn(role))
        #expect(stage.wait(.milliseconds(4999)).binds.isEmpty)
        #expect(stage.wait(.milliseconds(1)).binds.count == 1)
    }

    @Test func aCurtainThatFailsThreeTimesIsDoneWithout() throws {
        var stage = Stage()
        stage.send(.configurePool("p", policy))
        let actions = stage.send(.openView("v", pool: "p"))
        stage.greet(try actions.spawn(.active), slots: 1)
        var curtain = try actions.spawn(role)
        curtain = try stage.send(.hostSpawnFailed(curtain)).spawn(role)
        #expect(stage.send(.hostSpawnFailed(curtain)).binds.isEmpty)
        curtain = try stage.wait(.milliseconds(100)).spawn(role)
        #expect(stage.send(.hostSpawnFailed(curtain)).binds.count == 1)
        #expect(stage.history.opened.isEmpty)
    }

    @Test func aCurtainIsTriedAgainEverLater() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy)
        var pauses: [Duration] = []
        for _ in 0..<14 {
            let start = stage.now
            stage.send(.hostExited(try #require(stage.machine.views["v"]?.curtain)))
            while stage.machine.views["v"]?.curtain == nil {
                stage.wait(try #require(stage.machine.nextDeadline) - stage.now)
            }
            pauses.append(stage.now - start)
        }
        #expect(pauses[0] == .zero)
        #expect(Array(pauses.prefix(10)) == pauses.prefix(10).sorted())
        #expect(pauses.suffix(3).allSatisfy { $0 >= .milliseconds(22_500) && $0 <= .seconds(30) })
        #expect(stage.isShown("v"))
    }

    @Test func aCurtainThatDiesIsReplacedAtOnceAndTheViewStays() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        let curtain = try #require(stage.machine.views["v"]?.curtain)
        let actions = stage.send(.hostExited(curtain))
        #expect(actions.spawns.map(\.role) == [role])
        #expect(actions.count == 1)
        #expect(try stage.host(of: "v") == host)
        #expect(stage.machine.pools["p"]?.active == host, "a curtain's death is not the pool's")
    }

    @Test func anUnresponsiveCurtainIsKilledAndReplaced() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy)
        let curtain = try #require(stage.machine.views["v"]?.curtain)
        stage.deaf = [curtain]
        #expect(stage.wait(.seconds(25)).kills == [curtain])
        #expect(stage.send(.hostExited(curtain)).spawns.map(\.role) == [role])
        #expect(stage.history.opened.isEmpty)
    }

    @Test func curtainsThatFailDoNotHoldUpHosts() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        for _ in 0..<2 { stage.send(.hostExited(try #require(stage.machine.views["v"]?.curtain))) }
        #expect(stage.send(.hostExited(host)).spawns.map(\.role) == [.active])
    }

    @Test func aViewKeepsItsCurtainWhenItsHostDies() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        let curtain = try #require(stage.machine.views["v"]?.curtain)
        stage.send(.hostExited(host))
        #expect(stage.machine.views["v"]?.curtain == curtain)
        #expect(stage.history.stops.isEmpty)
    }

    @Test func curtainsThatAreNoLongerWantedAreTakenDown() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy)
        let curtain = try #require(stage.machine.views["v"]?.curtain)
        #expect(stage.send(.configurePool("p", PoolPolicy())).stops == [curtain])
        #expect(stage.isShown("v"))
        stage.send(.hostExited(curtain))
        #expect(stage.machine.views["v"]?.curtain == nil)
    }

    @Test func aViewThatWaitsForACurtainNoLongerWantedGoesOn() throws {
        var stage = Stage()
        stage.send(.configurePool("p", policy))
        let actions = stage.send(.openView("v", pool: "p"))
        stage.greet(try actions.spawn(.active), slots: 1)
        #expect(stage.send(.configurePool("p", PoolPolicy())).binds.count == 1)
    }

    @Test func curtainsWantedLaterAreHung() throws {
        var stage = Stage()
        _ = try stage.startPool()
        #expect(stage.send(.configurePool("p", policy)).spawns.map(\.role) == [role])
        #expect(stage.isShown("v"))
    }

    @Test func theCurtainOfAViewClosedAndOpenedAgainIsNotBlamedOnTheNewOne() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy, views: ["v", "w"])
        let curtain = try #require(stage.machine.views["v"]?.curtain)
        stage.send(.hostFailed(curtain))
        stage.send(.closeView("v"))
        stage.send(.openView("v", pool: "p"))
        let new = try #require(stage.machine.views["v"]?.curtain)
        #expect(stage.send(.hostExited(curtain)).isEmpty)
        #expect(stage.send(.hostExited(new)).spawns.map(\.role) == [role])
        #expect(stage.machine.nextDeadline.map { $0 > stage.now } == true)
    }
}
