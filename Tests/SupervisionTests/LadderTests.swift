// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

/// What is tried when it fails again: a pause, without the page's state, quarantine.
@Suite struct LadderTests {
    private let policy = PoolPolicy(
        warmSlots: 2, heartbeatInterval: .seconds(3600), heartbeatTimeout: .seconds(3600),
        backoff: Backoff(first: .milliseconds(100), maximum: .seconds(30)), startLimitBurst: 5,
        startLimitInterval: .seconds(60))

    /// Loses the view's slot, waits for the next bind, and says how long that took.
    private func crash(_ stage: inout Stage, _ view: String = "v") throws -> (pause: Duration, binding: Binding) {
        let start = stage.now
        let place = try #require(stage.machine.views[view]?.place)
        var binds = stage.send(.slotLost(place.host, slot: place.slot, .crashed, at: stage.now)).binds
        stage.send(.slotReady(place.host, slot: stage.nextSlot()))
        while binds.isEmpty {
            let due = try #require(stage.machine.nextDeadline)
            binds = stage.wait(due - stage.now).binds
        }
        return (stage.now - start, try #require(binds.first))
    }

    @Test func aCrashLoopClimbsTheLadderIntoQuarantineAndBackInOneIncident() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy)
        var pauses: [Duration] = []
        var restores: [Bool] = []
        for _ in 0..<5 {
            let attempt = try crash(&stage)
            pauses.append(attempt.pause)
            restores.append(attempt.binding.restoresState)
        }
        #expect(restores == [true, true, false, false, false], "the third attempt comes without the page's state")
        #expect(pauses[0] == .zero)
        for (failures, pause) in pauses.enumerated().dropFirst() {
            let full = Duration.milliseconds(100) * (1 << (failures - 1))
            #expect(pause <= full && pause >= full * 3 / 4)
        }
        #expect(stage.history.quarantines.isEmpty)

        var quarantines: [Duration] = []
        for _ in 0..<12 {
            let attempt = try crash(&stage)
            #expect(!attempt.binding.restoresState)
            quarantines.append(attempt.pause)
        }
        #expect(stage.history.quarantines == quarantines, "what was announced is what happened")
        for (failures, pause) in quarantines.enumerated() {
            let full = min(Duration.milliseconds(1600) * (1 << failures), .seconds(30))
            #expect(pause <= full && pause >= full * 3 / 4, "quarantine \(failures + 1): \(pause)")
        }
        #expect(Set(quarantines).count == quarantines.count, "there is jitter")
        #expect(stage.history.opened.count == 1)

        let last = try #require(stage.history.binds.last)
        let closed = try #require(stage.send(stage.verified(last)).closed.first)
        #expect(closed.id == stage.history.opened[0].id && closed.outcome == .recovered)
        #expect(closed.attempts == 17)
        #expect(closed.steps.contains(.quarantined) && closed.steps.last == .verified)
    }

    @Test func aViewStaysInQuarantineWhateverTheIntervalForgets() throws {
        var stage = Stage()
        var slow = policy
        slow.backoff = Backoff(first: .seconds(1), maximum: .seconds(3600))
        _ = try stage.startPool("p", slow)
        for _ in 0..<5 { _ = try crash(&stage) }
        // Pauses of more than StartLimitInterval=: no failure is within it when the next one comes.
        for _ in 0..<6 {
            _ = try crash(&stage)
            #expect(stage.machine.views["v"]?.quarantines ?? 0 > 0)
        }
        #expect(stage.history.quarantines.count == 6)
        #expect(stage.history.quarantines == stage.history.quarantines.sorted())
        #expect(stage.history.quarantines.last.map { $0 > .seconds(300) } == true)
    }

    @Test func aPageThatCrashesSoonAfterQuarantineGoesBackForLonger() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy)
        for _ in 0..<6 { stage.send(stage.verified(try crash(&stage).binding)) }
        #expect(stage.history.quarantines.count == 1)
        stage.wait(.seconds(5))
        stage.send(stage.verified(try crash(&stage).binding))
        #expect(stage.history.quarantines.count == 2)
        #expect(stage.history.quarantines[1] > stage.history.quarantines[0])
        #expect(stage.history.opened.count == 7 && stage.history.closed.count == 7)
    }

    @Test func aPageThatRanWellAfterQuarantineStartsAfresh() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy)
        for _ in 0..<6 { stage.send(stage.verified(try crash(&stage).binding)) }
        stage.wait(.seconds(120))
        let attempt = try crash(&stage)
        #expect(attempt.pause == .zero && attempt.binding.restoresState)
        #expect(stage.history.quarantines.count == 1)
    }

    @Test func oneFailureADayForAYearIsNoCrashLoop() throws {
        var stage = Stage()
        let host = try stage.startPool("p", policy)
        for _ in 0..<365 {
            stage.wait(.seconds(86400))
            let attempt = try crash(&stage)
            #expect(attempt.pause == .zero && attempt.binding.restoresState)
            stage.send(stage.verified(attempt.binding))
        }
        #expect(stage.history.quarantines.isEmpty && stage.history.kills.isEmpty)
        #expect(stage.history.closed.count == 365)
        #expect(stage.history.closed.allSatisfy { $0.attempts == 1 && $0.host == host && $0.path == .sameHost })
    }

    @Test func aHostThatDiesOnceADayForAYearIsReplacedAtOnceEachTime() throws {
        var stage = Stage()
        stage.isObedient = true
        _ = try stage.startPool("p", policy)
        for _ in 0..<365 {
            stage.wait(.seconds(86400))
            #expect(try stage.send(.hostExited(stage.host(of: "v"))).ready == ["v"])
        }
    }

    /// Whatever the rhythm: a page that fails more often than the limit allows gets pauses that bound the rate, and one
    /// that fails less often never waits.
    @Test(arguments: [100, 300, 1000, 2000, 5000, 9000, 11_000, 13_000, 20_000, 60_000])
    func deathsAtAnyRhythm(milliseconds: Int64) throws {
        var stage = Stage()
        stage.isObedient = true
        _ = try stage.startPool("p", policy)
        let start = stage.now
        var deaths = 0
        while stage.now - start < .seconds(3600) {
            stage.wait(.milliseconds(milliseconds))
            guard stage.isShown("v") else { continue }
            let place = try #require(stage.machine.views["v"]?.place)
            stage.send(.slotLost(place.host, slot: place.slot, .crashed, at: stage.now))
            deaths += 1
        }
        if milliseconds < 12_000 {
            #expect(!stage.history.quarantines.isEmpty)
            #expect(deaths < 3600 / 12, "\(deaths) deaths in an hour")
            #expect(stage.history.quarantines.last ?? .zero >= .milliseconds(22_500), "it has grown to the maximum")
        } else {
            #expect(stage.history.quarantines.isEmpty)
            #expect(deaths >= 3_600_000 / Int(milliseconds))
        }
        #expect(stage.history.opened.count == deaths)
    }

    /// The same for hosts: each start costs, whoever else is well.
    @Test(arguments: [0, 100, 1000, 5000, 11_000, 13_000, 60_000])
    func hostDeathsAtAnyRhythm(milliseconds: Int64) throws {
        var stage = Stage()
        var patient = policy
        patient.recoveryTimeout = .seconds(3600)
        stage.send(.configurePool("p", patient))
        var host = try stage.send(.openView("v", pool: "p")).spawn(.active)
        let start = stage.now
        var spawns = 0
        while stage.now - start < .seconds(3600) {
            stage.greet(host)
            stage.wait(.milliseconds(milliseconds))
            var next = stage.send(.hostExited(host)).spawns
            while next.isEmpty {
                let due = try #require(stage.machine.nextDeadline)
                next = stage.wait(due - stage.now).spawns
            }
            host = next[0].host
            spawns += 1
        }
        #expect(stage.history.kills.isEmpty)
        if milliseconds < 12_000 {
            #expect(spawns < 3600 / 12, "\(spawns) starts in an hour")
        } else {
            #expect(spawns > 3_600_000 / Int(milliseconds) * 9 / 10, "\(spawns) starts in an hour")
        }
    }

    @Test func withoutBackoffACrashLoopStillHasPauses() throws {
        var stage = Stage()
        var eager = policy
        eager.backoff = Backoff(first: .zero, maximum: .zero)
        _ = try stage.startPool("p", eager)
        for _ in 0..<5 { #expect(try crash(&stage).pause == .zero) }
        #expect(try crash(&stage).pause == .milliseconds(100))
    }

    @Test func anOperatorGetsAViewOutOfQuarantineAtOnceAndWithItsState() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy)
        for _ in 0..<5 { _ = try crash(&stage) }
        let place = try #require(stage.machine.views["v"]?.place)
        stage.send(.slotLost(place.host, slot: place.slot, .crashed, at: stage.now))
        #expect(stage.isQuarantined("v"))
        let binding = try stage.send(.retryView("v")).bind(of: "v")
        #expect(binding.restoresState)
        #expect(stage.send(.retryView("v")).isEmpty, "there is nothing to retry")
        // A fresh ladder.
        stage.send(.slotReady(place.host, slot: 500))
        #expect(stage.send(stage.lost(binding)).binds.count == 1)
        #expect(!stage.isQuarantined("v"))
        let closed = stage.send(stage.verified(try #require(stage.history.binds.last))).closed
        #expect(closed.map(\.id) == stage.history.opened.map(\.id))
    }

    @Test func anOperatorEndsAPause() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy)
        for _ in 0..<4 { _ = try crash(&stage) }
        let place = try #require(stage.machine.views["v"]?.place)
        #expect(stage.send(.slotLost(place.host, slot: place.slot, .crashed, at: stage.now)).binds.isEmpty)
        #expect(stage.send(.retryView("v")).binds.count == 1)
    }

    @Test func retryOfAnUnknownOrShownViewIsIgnored() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy)
        #expect(stage.send(.retryView("v")).isEmpty)
        #expect(stage.send(.retryView("w")).isEmpty)
        #expect(stage.machine.ignoredEvents == 2)
        #expect(stage.isShown("v"))
    }

    @Test func viewsThatFailTogetherDoNotReturnTogether() throws {
        var stage = Stage()
        let names = (0..<20).map { "v\($0)" }
        var many = policy
        many.warmSlots = 16
        let host = try stage.startPool("p", many, views: names)
        for _ in 0..<4 {
            stage.send(.networkLost(host, at: stage.now))
            for _ in 0..<40 { stage.send(.slotReady(host, slot: stage.nextSlot())) }
        }
        let retries = names.compactMap { stage.machine.deadlines[.retry($0)] }
        #expect(Set(retries).count > 15)
    }

    @Test func aTroubledViewLeavesItsNeighbourAlone() throws {
        var stage = Stage()
        _ = try stage.startPool("p", policy, views: ["v", "w"])
        for _ in 0..<8 { _ = try crash(&stage) }
        #expect(stage.isShown("w"))
        let attempt = try crash(&stage, "w")
        #expect(attempt.pause == .zero && attempt.binding.restoresState)
    }
}
