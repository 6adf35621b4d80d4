// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

/// Views that come and go, pools that change, in every phase.
@Suite struct ConfigurationChangeTests {
    /// The phases in which a view can be when something else happens.
    enum Situation: CaseIterable {
        case curtainFirst, waitingForHost, waitingForSlot, binding, shown, recovering, pausing, quarantined
        case onAHostBeingKilled, onAStoppingHost
    }

    static let policy = PoolPolicy(warmSlots: 1, keepsStandby: false)

    /// A stage with the view `v` of pool `p` in a situation.
    static func stage(_ situation: Situation) throws -> Stage {
        var stage = Stage()
        func crash() throws {
            let place = try #require(stage.machine.views["v"]?.place)
            stage.send(.slotReady(place.host, slot: stage.nextSlot()))
            stage.send(.slotLost(place.host, slot: place.slot, .crashed, at: stage.now))
        }
        switch situation {
        case .curtainFirst:
            stage.send(.configurePool("p", PoolPolicy(hasCurtains: true)))
            stage.send(.openView("v", pool: "p"))
            #expect(stage.machine.views["v"]?.phase == .curtainFirst)
        case .waitingForHost:
            stage.send(.configurePool("p", policy))
            stage.send(.openView("v", pool: "p"))
        case .waitingForSlot:
            stage.send(.configurePool("p", policy))
            stage.greet(try stage.send(.openView("v", pool: "p")).spawn(.active))
        case .binding:
            stage.send(.configurePool("p", policy))
            stage.greet(try stage.send(.openView("v", pool: "p")).spawn(.active), slots: 1)
        case .shown: _ = try stage.startPool("p", policy)
        case .recovering:
            _ = try stage.startPool("p", policy)
            try crash()
        case .pausing:
            _ = try stage.startPool("p", policy)
            for _ in 0..<2 { try crash() }
            #expect(stage.machine.views["v"]?.phase == .pausing)
        case .quarantined:
            _ = try stage.startPool("p", policy)
            for _ in 0..<6 {
                try crash()
                if stage.machine.views["v"]?.place == nil, !stage.isQuarantined("v") { stage.wait(.seconds(2)) }
            }
            #expect(stage.isQuarantined("v"))
        case .onAHostBeingKilled:
            let host = try stage.startPool("p", policy)
            stage.send(.hostFailed(host))
        case .onAStoppingHost:
            _ = try stage.startPool("p", policy)
            stage.send(.configurePool("p", PoolPolicy(warmSlots: 1, generation: 1)))
        }
        return stage
    }

    @Test(arguments: Situation.allCases)
    func aViewCanBeClosedInEveryPhase(situation: Situation) throws {
        var stage = try Self.stage(situation)
        let opened = stage.history.opened.count
        let actions = stage.send(.closeView("v"))
        #expect(actions.contains(.viewClosed(view: "v")))
        #expect(actions.closed.map(\.outcome) == Array(repeating: .closed, count: opened))
        // The last view of a pool takes its hosts with it, and a host that goes is told of no slot.
        #expect(actions.releases.isEmpty)
        #expect(stage.send(.closeView("v")).isEmpty, "closed twice")
        for host in stage.machine.hosts.keys.sorted() { stage.send(.hostExited(host)) }
        #expect(stage.machine.hosts.isEmpty && stage.machine.views.isEmpty)
        #expect(stage.machine.nextDeadline == nil, "nothing is left to wait for")
        #expect(stage.history.opened.count == opened)
        // And it can come back.
        #expect(stage.send(.openView("v", pool: "p")).spawns.count >= 1)
    }

    @Test(arguments: Situation.allCases)
    func aPoolCanBeRemovedInEveryPhase(situation: Situation) throws {
        var stage = try Self.stage(situation)
        let actions = stage.send(.removePool("p"))
        #expect(actions.contains(.viewClosed(view: "v")))
        #expect(stage.send(.openView("w", pool: "p")).isEmpty, "it is going")
        for host in stage.machine.hosts.keys.sorted() { stage.send(.hostExited(host)) }
        #expect(stage.machine.pools.isEmpty && stage.machine.hosts.isEmpty && stage.machine.nextDeadline == nil)
        #expect(stage.history.opened.count == stage.history.closed.count)
        #expect(stage.send(.removePool("p")).isEmpty)
    }

    @Test(arguments: Situation.allCases)
    func aNewGenerationInEveryPhaseLosesNoView(situation: Situation) throws {
        var stage = try Self.stage(situation)
        let opened = stage.history.opened.count
        let before = Set(stage.machine.hosts.keys)
        var policy = try #require(stage.machine.pools["p"]?.policy)
        policy.generation += 1
        let actions = stage.send(.configurePool("p", policy))
        for host in before where stage.machine.hosts[host]?.phase == .ready { Issue.record("\(host) still serves") }
        #expect(actions.opened.isEmpty && actions.kills.isEmpty)
        stage.isObedient = true
        for host in before.sorted() { stage.send(.hostExited(host)) }
        for host in stage.machine.hosts.values.sorted(by: { $0.id < $1.id }) where host.phase == .starting {
            stage.greet(host.id, slots: 2)
        }
        stage.wait(.seconds(40))
        #expect(stage.isShown("v"))
        #expect(stage.history.opened.count == stage.history.closed.count)
        #expect(stage.history.opened.count == (situation == .onAHostBeingKilled ? opened + 1 : opened))
    }

    @Test func aNewGenerationMovesViewsWithoutIncidentWhenTheOldHostHasSaidItsLast() throws {
        var stage = Stage()
        let old = try stage.startPool("p", Self.policy, views: ["a", "b"])
        let actions = stage.send(.configurePool("p", PoolPolicy(warmSlots: 1, generation: 1)))
        #expect(actions.stops == [old])
        let new = try actions.spawn(.active)
        // The new host may be quicker than the old one's last snapshot.
        #expect(stage.greet(new, slots: 2).binds.isEmpty, "the old host shows the views")
        #expect(try stage.send(.slotLost(old, slot: stage.slot(of: "a"), .closed, at: stage.now)).opened.isEmpty)
        let exit = stage.send(.hostExited(old))
        #expect(exit.binds.map(\.view) == ["a", "b"])
        #expect(exit.binds.allSatisfy { $0.host == new && $0.restoresState })
        #expect(
            exit.binds.allSatisfy { $0.bringsCookies }, "the new host was welcomed before the old one's last cookies")
        for binding in exit.binds { stage.send(stage.verified(binding)) }
        #expect(stage.history.opened.isEmpty && stage.history.quarantines.isEmpty)
        #expect(stage.isShown("a") && stage.isShown("b"))
    }

    @Test func anOldHostThatDoesNotStopIsKilledAndStillNoIncident() throws {
        var stage = Stage()
        let old = try stage.startPool("p", PoolPolicy(stopTimeout: .seconds(5)))
        let new = try stage.send(.configurePool("p", PoolPolicy(generation: 1))).spawn(.active)
        stage.greet(new, slots: 1)
        #expect(stage.wait(.milliseconds(4999)).kills.isEmpty)
        #expect(stage.wait(.milliseconds(1)).kills == [old])
        #expect(stage.wait(.seconds(2)).binds.map(\.host) == [new], "given up")
        #expect(stage.history.opened.isEmpty)
    }

    @Test func aNewGenerationReplacesTheStandbyOnceTheViewsHaveMoved() throws {
        var stage = Stage()
        let old = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let standby = try stage.standby()
        let actions = stage.send(.configurePool("p", PoolPolicy(keepsStandby: true, generation: 1)))
        #expect(actions.stops == [old, standby])
        let new = try actions.spawn(.active)
        #expect(stage.greet(new, slots: 1).spawns.isEmpty)
        stage.send(.hostExited(standby))
        let binding = try stage.send(.hostExited(old)).bind(of: "v")
        #expect(stage.send(stage.verified(binding)).spawns.map(\.role) == [.standby])
    }

    @Test func aSocketClosedByAStoppingHostIsNoReasonToKillIt() throws {
        var stage = Stage()
        let host = try stage.startPool()
        stage.send(.closeView("v"))
        #expect(stage.send(.hostFailed(host)).isEmpty)
        #expect(stage.wait(.seconds(5)).kills == [host])
    }

    @Test func theSamePolicyAgainTouchesNothing() throws {
        var stage = Stage()
        _ = try stage.startPool("p", Self.policy)
        #expect(stage.send(.configurePool("p", Self.policy)).isEmpty)
        #expect(stage.isShown("v"))
    }

    @Test func moreSparesAndAStandbyCanBeAskedForAndGivenBack() throws {
        var stage = Stage()
        let host = try stage.startPool("p", Self.policy)
        let more = stage.send(.configurePool("p", PoolPolicy(warmSlots: 3, keepsStandby: true)))
        #expect(more.contains(.warm(host, count: 3)))
        let standby = try more.spawn(.standby)
        stage.greet(standby, slots: 3)
        let less = stage.send(.configurePool("p", PoolPolicy(warmSlots: 2, keepsStandby: true)))
        #expect(less == [.warm(host, count: 2), .warm(standby, count: 2)])
        #expect(stage.send(.configurePool("p", PoolPolicy(warmSlots: 2, keepsStandby: false))).stops == [standby])
    }

    @Test func aNewGenerationForgivesHostsThatCouldNotStart() throws {
        var stage = Stage()
        stage.send(.configurePool("p", Self.policy))
        var host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        for _ in 0..<12 {
            stage.send(.hostSpawnFailed(host))
            if stage.machine.pools["p"]?.active == nil { stage.wait(.seconds(30)) }
            host = try #require(stage.machine.pools["p"]?.active)
        }
        stage.send(.hostSpawnFailed(host))
        #expect(stage.machine.pools["p"]?.active == nil, "it pauses")
        #expect(stage.send(.configurePool("p", Self.policy)).isEmpty)
        #expect(stage.send(.configurePool("p", PoolPolicy(generation: 1))).spawns.count == 1)
    }

    @Test func aPoolCanComeBackWhileItsOldHostsAreStopping() throws {
        var stage = Stage()
        let old = try stage.startPool()
        stage.send(.removePool("p"))
        stage.isObedient = true
        stage.send(.configurePool("p", PoolPolicy()))
        let new = try stage.send(.openView("v", pool: "p")).spawn(.active)
        #expect(new != old)
        #expect(!stage.isShown("v"), "the old host still has the pool's data")
        #expect(stage.send(.hostExited(old)).ready == ["v"])
        #expect(stage.history.binds.last?.bringsCookies == true)
    }

    @Test func nobodyIsBoundWhileAHostOfTheOldGenerationIsStillThere() throws {
        var stage = Stage()
        let old = try stage.startPool("p", PoolPolicy(warmSlots: 0))
        stage.send(.slotLost(old, slot: try stage.slot(of: "v"), .crashed, at: stage.now))
        let new = try stage.send(.configurePool("p", PoolPolicy(generation: 1))).spawn(.active)
        #expect(stage.greet(new, slots: 1).binds.isEmpty, "the view is in neither, but the data is in the old one")
        #expect(stage.send(.openView("w", pool: "p")).binds.isEmpty)
        #expect(try stage.send(.hostExited(old)).bind(of: "v").bringsCookies)
    }

    @Test func openAndCloseTenThousandTimesLeavesNothing() throws {
        var stage = Stage()
        stage.isObedient = true
        _ = try stage.startPool("p", Self.policy, views: ["stays"])
        for index in 0..<10_000 {
            stage.send(.openView("v\(index)", pool: "p"))
            stage.send(.closeView("v\(index)"))
        }
        #expect(stage.machine.views.count == 1 && stage.machine.hosts.count == 1)
        #expect(stage.machine.deadlines.count <= 4)
        #expect(stage.machine.pools["p"]?.views == ["stays"] && stage.machine.pools["p"]?.waiting == [])
    }
}
