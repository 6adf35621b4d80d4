// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

/// Seeded worlds that go wrong all the time. After each event the invariants of Ledger and of
/// `Supervisor.inconsistencies` hold; when nothing goes wrong any more, everything comes back by itself.
@Suite struct SimulationTests {
    /// How long until all is well again: the longest pause, a host that hangs in it, the kill, and a cold start.
    static let healingTime = Duration.seconds(300)

    @Test(arguments: 0..<20)
    func everythingComesBack(batch: Int) throws {
        for seed in UInt64(batch * 12)..<UInt64(batch * 12 + 12) { try run(seed) }
    }

    private func run(_ seed: UInt64) throws {
        var world = World(seed: seed, pools: 1 + Int(seed % 3), views: 2 + Int(seed % 5))
        while world.transitions < 1200, world.proceed(until: Instant(microseconds: .max)) {}
        try #require(world.ledger.violations == [], "seed \(seed)")

        world.heal()
        let limit = world.now + Self.healingTime
        while world.proceed(until: limit) {}
        try #require(world.ledger.violations == [], "seed \(seed), healing")
        for view in world.machine.views.values {
            guard case .shown = view.phase, view.incident == nil else {
                Issue.record("seed \(seed): \(view.name) is still \(view.phase)")
                return
            }
        }
        #expect(world.ledger.openIncidents == 0, "seed \(seed)")
        for (name, pool) in world.machine.pools where !pool.views.isEmpty {
            #expect(world.machine.hosts[try #require(pool.active)]?.phase == .ready, "seed \(seed), \(name)")
            #expect((pool.standby != nil) == pool.policy.keepsStandby, "seed \(seed), \(name)")
            for view in pool.views {
                #expect((world.machine.views[view]?.curtain != nil) == pool.policy.hasCurtains, "seed \(seed), \(view)")
            }
        }

        world.receive(.shutDown)
        let end = world.now + .seconds(15 + 5 + 2)
        while world.proceed(until: end) {}
        try #require(world.ledger.violations == [], "seed \(seed), shutting down")
        #expect(world.ledger.finishes == 1, "seed \(seed)")
        #expect(world.machine.nextDeadline == nil && world.machine.hosts.isEmpty, "seed \(seed)")
    }

    @Test(arguments: 0..<4)
    func shutDownInTheMidstOfItEnds(batch: Int) throws {
        for seed in UInt64(1000 + batch * 25)..<UInt64(1025 + batch * 25) {
            var world = World(seed: seed)
            let length = 50 + Int(seed % 200)
            while world.transitions < length, world.proceed(until: Instant(microseconds: .max)) {}
            world.receive(.shutDown)
            world.heal()
            let end = world.now + .seconds(100)
            while world.proceed(until: end) {}
            try #require(world.ledger.violations == [], "seed \(seed)")
            #expect(world.ledger.finishes == 1 && world.machine.nextDeadline == nil, "seed \(seed)")
        }
    }

    @Test func theSameSeedGivesTheSameActions() {
        for seed in 2000..<2010 as Range<UInt64> {
            let runs = (0..<2).map { _ in
                var world = World(seed: seed)
                world.recording = []
                while world.transitions < 800, world.proceed(until: Instant(microseconds: .max)) {}
                return world.recording ?? []
            }
            #expect(runs[0] == runs[1], "seed \(seed)")
            #expect(runs[0].count > 300)
        }
    }

    /// The worlds are worth something only if they are as bad as they say.
    @Test func theWorldsAreBadEnough() {
        var (opened, quarantines, kills, binds) = (0, 0, 0, 0)
        for seed in 3000..<3010 as Range<UInt64> {
            var world = World(seed: seed)
            while world.transitions < 1200, world.proceed(until: Instant(microseconds: .max)) {}
            opened += world.ledger.opened
            quarantines += world.ledger.quarantines
            kills += world.ledger.kills
            binds += world.ledger.binds
        }
        #expect(
            opened > 300 && quarantines > 20 && kills > 50 && binds > 500, "\(opened) \(quarantines) \(kills) \(binds)")
    }
}
