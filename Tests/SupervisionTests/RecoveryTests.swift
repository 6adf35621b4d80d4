// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

/// The one recovery path: to another slot of the same host, to the standby, or to a cold host.
@Suite struct RecoveryTests {
    @Test func aContentCrashMovesTheViewToTheSpareOfItsHost() throws {
        var stage = Stage()
        let host = try stage.startPool()
        let slot = try stage.slot(of: "v")
        stage.wait(.seconds(2))
        let died = stage.now
        stage.skip(.milliseconds(16))
        let actions = stage.send(.slotLost(host, slot: slot, .crashed, at: died))
        let opened = try #require(actions.opened.first)
        #expect(opened.cause == .contentCrashed && opened.view == "v" && opened.pool == "p")
        #expect(opened.host == host && opened.slot == slot && opened.openedAt == died)
        #expect(opened.id.count == 32 && opened.id.allSatisfy(\.isHexDigit))
        let binding = try actions.bind(of: "v")
        #expect(binding.host == host && binding.slot != slot && binding.restoresState && !binding.bringsCookies)

        for step in [Incident.Step.cookiesIn, .stateIn, .loadStarted, .loadFinished, .firstPaint] {
            stage.skip(.milliseconds(10))
            #expect(stage.send(stage.progress(binding, step)).isEmpty)
        }
        stage.skip(.milliseconds(10))
        let end = stage.send(stage.verified(binding))
        let closed = try #require(end.closed.first)
        #expect(closed.id == opened.id && closed.outcome == .recovered && closed.path == .sameHost)
        #expect(closed.attempts == 1 && closed.closedAt == stage.now)
        #expect(
            closed.steps == [
                .died, .detected, .slotBound, .cookiesIn, .stateIn, .loadStarted, .loadFinished, .firstPaint, .verified,
            ])
        #expect(closed.timeline.map(\.at) == closed.timeline.map(\.at).sorted())
        #expect(closed.timeline[0].at == died && closed.timeline[1].at == died + .milliseconds(16))
        #expect(end.last == .viewReady(view: "v", host: host, slot: binding.slot))
        #expect(actions.kills.isEmpty && actions.spawns.isEmpty)
    }

    @Test(
        arguments: [
            (LossReason.crashed, Incident.Cause.contentCrashed), (.memory, .memory), (.unresponsive, .unresponsive),
            (.closed, .recoveryFailed),
        ])
    func aLostSlotSaysWhy(reason: LossReason, cause: Incident.Cause) throws {
        var stage = Stage()
        let host = try stage.startPool()
        let slot = try stage.slot(of: "v")
        #expect(stage.send(.slotLost(host, slot: slot, reason, at: stage.now)).opened.map(\.cause) == [cause])
    }

    @Test func withoutASpareTheViewWaitsForTheNextSlot() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(warmSlots: 0))
        let slot = try stage.slot(of: "v")
        let actions = stage.send(.slotLost(host, slot: slot, .crashed, at: stage.now))
        #expect(actions.binds.isEmpty)
        #expect(actions.contains(.warm(host, count: 1)))
        let after = stage.send(.slotReady(host, slot: 99))
        #expect(after.binds.map(\.slot) == [99])
        #expect(after.contains(.warm(host, count: 0)))
    }

    @Test func aSpareThatDiedFirstIsNotUsed() throws {
        var stage = Stage()
        let host = try stage.startPool()
        let slot = try stage.slot(of: "v")
        let spare = try #require(stage.machine.hosts[host]?.warm.first)
        let lost = stage.send(.slotLost(host, slot: spare, .crashed, at: stage.now))
        #expect(lost.isEmpty, "a spare's death is no incident")
        #expect(stage.send(.slotLost(host, slot: slot, .crashed, at: stage.now)).binds.isEmpty)
        #expect(stage.send(.slotReady(host, slot: 50)).binds.map(\.slot) == [50])
    }

    @Test func aSpareThatDiesUnderTheBindCostsOneMoreAttempt() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(warmSlots: 2))
        let slot = try stage.slot(of: "v")
        let first = try stage.send(.slotLost(host, slot: slot, .crashed, at: stage.now)).bind(of: "v")
        #expect(stage.send(stage.lost(first)).binds.isEmpty)
        let second = try stage.wait(.milliseconds(100)).bind(of: "v")
        let closed = try #require(stage.send(stage.verified(second)).closed.first)
        #expect(closed.attempts == 2)
        #expect(closed.steps == [.died, .detected, .slotBound, .failed, .slotBound, .verified])
        #expect(stage.history.opened.count == 1)
    }

    @Test func aDeadHostsViewsGoToTheStandbyAndOnlyThenIsThereANewOne() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true), views: ["a", "b"])
        let standby = try stage.standby()
        let actions = stage.send(.hostExited(host))
        #expect(actions.opened.map(\.cause) == [.hostExited, .hostExited])
        #expect(actions.opened.map(\.view) == ["a", "b"])
        #expect(actions.spawns.isEmpty, "the recovery needs the processor")
        let a = try actions.bind(of: "a")
        #expect(a.host == standby && a.bringsCookies && a.restoresState)
        #expect(stage.send(stage.verified(a)).spawns.isEmpty)
        let b = try stage.send(.slotReady(standby, slot: 77)).bind(of: "b")
        let end = stage.send(stage.verified(b))
        #expect(end.closed.map(\.path) == [.standby])
        #expect(end.spawns.map(\.role) == [.standby])
        #expect(stage.machine.pools["p"]?.active == standby)
    }

    @Test func onlyTheFirstViewsOfAPromotedStandbyBringCookies() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let first = try stage.send(.hostExited(host)).bind(of: "v")
        #expect(first.bringsCookies)
        stage.send(stage.verified(first))
        stage.send(.slotReady(first.host, slot: 60))
        stage.wait(.seconds(2))
        #expect(try !stage.send(stage.lost(first)).bind(of: "v").bringsCookies)
    }

    @Test func withoutAStandbyAColdHostTakesOver() throws {
        var stage = Stage()
        let host = try stage.startPool()
        let cold = try stage.send(.hostExited(host)).spawn(.active)
        stage.greet(cold)
        let binding = try stage.send(.slotReady(cold, slot: 1)).bind(of: "v")
        #expect(!binding.bringsCookies, "it was given them when it was welcomed")
        #expect(stage.send(stage.verified(binding)).closed.map(\.path) == [.coldHost])
    }

    @Test func aDeadStandbyIsReplacedWithoutIncident() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let actions = stage.send(.hostExited(try stage.standby()))
        #expect(actions.spawns.map(\.role) == [.standby])
        #expect(actions.opened.isEmpty && actions.binds.isEmpty)
        #expect(stage.machine.pools["p"]?.active == host)
    }

    @Test func standbysThatKeepDyingDoNotHoldUpTheColdHost() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        for _ in 0..<8 {
            if let standby = stage.machine.pools["p"]?.standby { stage.send(.hostExited(standby)) }
            if stage.machine.pools["p"]?.standby == nil { stage.wait(.seconds(30)) }
        }
        if let standby = stage.machine.pools["p"]?.standby { stage.send(.hostExited(standby)) }
        #expect(stage.machine.pools["p"]?.standby == nil)
        #expect(stage.send(.hostExited(host)).spawns.map(\.role) == [.active])
    }

    @Test func aStandbyThatIsStillStartingIsPromoted() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let standby = try stage.send(.hostExited(try stage.standby())).spawn(.standby)
        let actions = stage.send(.hostExited(host))
        #expect(actions.spawns.isEmpty && actions.binds.isEmpty)
        let binding = try stage.greet(standby, slots: 1).bind(of: "v")
        #expect(binding.host == standby && binding.bringsCookies)
    }

    @Test func aStandbyThatIsBeingKilledIsNotPromoted() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        stage.send(.hostFailed(try stage.standby()))
        #expect(stage.send(.hostExited(host)).spawns.map(\.role) == [.active])
    }

    @Test func aStandbyWithoutSlotsIsReplacedBeforeItIsNeeded() throws {
        var stage = Stage()
        _ = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let standby = try stage.send(.hostExited(try stage.standby())).spawn(.standby)
        stage.greet(standby)
        #expect(stage.wait(.milliseconds(29_999)).kills.isEmpty)
        #expect(stage.wait(.milliseconds(1)).kills == [standby])
    }

    @Test func aStandbyThatLostItsOnlySpareMustMakeAnother() throws {
        var stage = Stage()
        _ = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let standby = try stage.standby()
        let spare = try #require(stage.machine.hosts[standby]?.warm.first)
        stage.send(.slotLost(standby, slot: spare, .crashed, at: stage.now))
        stage.wait(.seconds(20))
        stage.send(.slotReady(standby, slot: 300))
        #expect(stage.wait(.seconds(60)).kills.isEmpty)
        stage.send(.slotLost(standby, slot: 300, .crashed, at: stage.now))
        #expect(stage.wait(.seconds(30)).kills == [standby])
    }

    @Test func bothHostsDeadAtOnceIsAColdStart() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        stage.send(.hostExited(host))
        let promoted = try #require(stage.machine.pools["p"]?.active)
        #expect(stage.send(.hostExited(promoted)).spawns.isEmpty)
        let cold = try stage.wait(.milliseconds(100)).spawn(.active)
        let incident = try #require(stage.machine.views["v"]?.incident)
        stage.greet(cold)
        let binds = stage.send(.slotReady(cold, slot: 1)).binds + stage.wait(.seconds(1)).binds
        let binding = try #require(binds.first)
        let closed = try #require(stage.send(stage.verified(binding)).closed.first)
        #expect(closed.id == incident.id && closed.path == .coldHost && closed.attempts == 2)
    }

    @Test func aBindThatTakesTooLongIsTriedInAnotherSlot() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(warmSlots: 2, recoveryTimeout: .seconds(30)))
        let slot = try stage.slot(of: "v")
        let first = try stage.send(.slotLost(host, slot: slot, .crashed, at: stage.now)).bind(of: "v")
        for step in [Incident.Step.loadStarted, .firstPaint] { stage.send(stage.progress(first, step)) }
        #expect(stage.wait(.milliseconds(29_999)).releases.isEmpty)
        let late = stage.wait(.milliseconds(1))
        #expect(late.releases == [first.slot])
        let second = try stage.wait(.milliseconds(100)).bind(of: "v")
        #expect(second.slot != first.slot && second.bind != first.bind)
        #expect(stage.send(stage.verified(second)).closed.map(\.attempts) == [2])
    }

    @Test func aPageThatIsNeverVerifiedOpensAnIncidentAndIsTriedForEver() throws {
        var stage = Stage()
        stage.send(.configurePool("p", PoolPolicy(warmSlots: 3)))
        let host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        stage.greet(host, slots: 1)
        let actions = stage.wait(.seconds(30))
        #expect(actions.opened.map(\.cause) == [.recoveryFailed])
        for _ in 0..<200 {
            stage.send(.slotReady(host, slot: stage.nextSlot()))
            stage.wait(.seconds(10))
        }
        #expect(stage.history.binds.count >= 2000 / 61)
        #expect(stage.history.kills.isEmpty)
        #expect(stage.history.opened.count == 1 && stage.history.closed.isEmpty)
        let incident = try #require(stage.machine.views["v"]?.incident)
        #expect(incident.attempts >= 19 && incident.timeline.count <= Incident.maximumMarks)
    }

    @Test func progressOfAnEarlierBindIsIgnored() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(warmSlots: 2))
        let slot = try stage.slot(of: "v")
        let first = try stage.send(.slotLost(host, slot: slot, .crashed, at: stage.now)).bind(of: "v")
        stage.send(stage.progress(first, .failed))
        let second = try stage.wait(.seconds(1)).bind(of: "v")
        let ignored = stage.machine.ignoredEvents
        #expect(stage.send(stage.verified(first)).isEmpty)
        #expect(stage.send(stage.progress(first, .failed)).isEmpty)
        // The right slot with a bind number of long ago.
        let old = Event.progress(
            host, slot: second.slot, bind: first.bind, step: .verified, at: stage.now, detail: nil)
        #expect(stage.send(old).isEmpty)
        #expect(stage.machine.ignoredEvents == ignored + 3)
        #expect(stage.send(stage.verified(second)).ready == ["v"])
        #expect(stage.send(stage.verified(second)).isEmpty, "said twice")
    }

    @Test func aFailedBindIsReleasedAndSaysWhy() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(warmSlots: 2))
        let slot = try stage.slot(of: "v")
        let first = try stage.send(.slotLost(host, slot: slot, .crashed, at: stage.now)).bind(of: "v")
        let failed = Event.progress(
            host, slot: first.slot, bind: first.bind, step: .failed, at: stage.now, detail: "no such file")
        #expect(stage.send(failed).releases == [first.slot])
        #expect(stage.machine.views["v"]?.incident?.timeline.last?.detail == "no such file")
    }

    @Test func allViewsLeaveALostNetworkProcessWithTheirCookies() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(warmSlots: 2), views: ["a", "b"])
        let old = [try stage.slot(of: "a"), try stage.slot(of: "b")]
        let actions = stage.send(.networkLost(host, at: stage.now))
        #expect(actions.opened.map(\.cause) == [.networkProcessLost, .networkProcessLost])
        #expect(actions.binds.map(\.view) == ["a", "b"])
        #expect(actions.binds.allSatisfy { $0.bringsCookies && $0.host == host && !old.contains($0.slot) })
        #expect(actions.releases == old, "the old pages must go")
        for binding in actions.binds { stage.send(stage.verified(binding)) }
        #expect(stage.history.closed.map(\.path) == [.sameHost, .sameHost])
        stage.send(.slotReady(host, slot: 70))
        stage.wait(.seconds(2))
        #expect(try !stage.send(stage.lost(actions.binds[0])).bind(of: "a").bringsCookies)
    }

    @Test func aNetworkLostWhileABindIsUnderWayBringsTheCookiesAgain() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(warmSlots: 3))
        stage.send(.networkLost(host, at: stage.now))
        let again = stage.send(.networkLost(host, at: stage.now)).binds + stage.wait(.seconds(1)).binds
        #expect(again.map(\.bringsCookies) == [true])
    }

    @Test func aNetworkLostWithoutViewsIsRememberedForTheNext() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(warmSlots: 0))
        stage.send(.slotLost(host, slot: try stage.slot(of: "v"), .crashed, at: stage.now))
        #expect(stage.send(.networkLost(host, at: stage.now)).opened.isEmpty)
        #expect(try stage.send(.slotReady(host, slot: 80)).bind(of: "v").bringsCookies)
    }

    /// The host can hold the old picture until the new slot has painted only if it hears of the new one first.
    @Test func theOldSlotIsReleasedAfterTheNewBind() throws {
        var stage = Stage()
        let host = try stage.startPool()
        let old = try stage.slot(of: "v")
        let actions = stage.send(.networkLost(host, at: stage.now))
        let bind = try #require(actions.firstIndex { $0.isBind })
        let release = try #require(actions.firstIndex(of: .release(host, slot: old)))
        #expect(bind < release)
    }

    @Test func aHostThatBreaksTheProtocolIsKilledAndItsViewsMoveAfterItsExit() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let standby = try stage.standby()
        let actions = stage.send(.hostFailed(host))
        #expect(actions.kills == [host] && actions.binds.isEmpty && actions.opened.isEmpty)
        #expect(stage.send(.hostFailed(host)).isEmpty, "said twice")
        #expect(try stage.send(.hostExited(host)).bind(of: "v").host == standby)
    }

    @Test func aHostBeingKilledIsNotListenedTo() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(keepsStandby: true))
        let slot = try stage.slot(of: "v")
        stage.send(.hostFailed(host))
        let events: [Event] = [
            .slotLost(host, slot: slot, .crashed, at: stage.now), .slotReady(host, slot: 90),
            .networkLost(host, at: stage.now), .pong(host, silent: [slot: .seconds(3600)]), .hostGreeted(host),
        ]
        for event in events { #expect(stage.send(event).isEmpty, "\(event)") }
        #expect(stage.send(.hostExited(host)).opened.map(\.cause) == [.hostExited])
    }

    @Test func aBindOnAHostBeingKilledDoesNotTimeOutBeforeItsExit() throws {
        var stage = Stage()
        let host = try stage.startPool("p", PoolPolicy(recoveryTimeout: .seconds(30)))
        let slot = try stage.slot(of: "v")
        stage.send(.slotLost(host, slot: slot, .crashed, at: stage.now))
        stage.wait(.seconds(29))
        stage.send(.hostFailed(host))
        let meanwhile = stage.wait(.milliseconds(1500))
        #expect(meanwhile.binds.isEmpty && meanwhile.releases.isEmpty)
        #expect(stage.machine.views["v"]?.rung == 1)
        stage.send(.hostExited(host))
        #expect(stage.machine.views["v"]?.rung == 2)
    }
}

extension [Action] {
    var releases: [Int] { compactMap { if case .release(_, let slot) = $0 { slot } else { nil } } }
}
