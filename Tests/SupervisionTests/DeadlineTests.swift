// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Supervision

@Suite struct DeadlineTests {
    /// A dictionary does the same, slowly; of equal instants, the one that was set first comes first.
    private struct Naive {
        var deadlines: [Int: (at: Instant, order: Int)] = [:]
        private var order = 0

        var earliest: Instant? { deadlines.values.map(\.at).min() }

        mutating func set(_ key: Int, at instant: Instant) {
            guard deadlines[key]?.at != instant else { return }
            order += 1
            deadlines[key] = (instant, order)
        }

        mutating func popDue(_ now: Instant) -> (key: Int, at: Instant)? {
            let due = deadlines.filter { $0.value.at <= now }
            guard let first = due.min(by: { ($0.value.at, $0.value.order) < ($1.value.at, $1.value.order) }) else {
                return nil
            }
            deadlines[first.key] = nil
            return (first.key, first.value.at)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func theHeapAgreesWithADictionary(seed: UInt64) {
        var random = Randomness(seed: seed)
        var heap = Deadlines<Int>()
        var naive = Naive()
        var now = Instant(microseconds: 0)
        // Few instants, so that many are equal; few keys, so that each is moved often.
        let keys = 1 + Int.random(in: 0..<60, using: &random)
        for _ in 0..<2000 {
            let key = Int.random(in: 0..<keys, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let at = now + .microseconds(Int64.random(in: 0..<50, using: &random))
                heap.set(key, at: at)
                naive.set(key, at: at)
            case 6..<8:
                heap.cancel(key)
                naive.deadlines[key] = nil
            default:
                now = now + .microseconds(Int64.random(in: 0..<10, using: &random))
                while true {
                    let (popped, expected) = (heap.popDue(now), naive.popDue(now))
                    guard popped?.key == expected?.key, popped?.at == expected?.at else {
                        Issue.record("\(String(describing: popped)) instead of \(String(describing: expected))")
                        return
                    }
                    if popped == nil { break }
                }
            }
            guard heap.earliest == naive.earliest, heap.count == naive.deadlines.count,
                heap[key] == naive.deadlines[key]?.at
            else {
                Issue.record("seed \(seed): the heap disagrees")
                return
            }
        }
    }

    @Test func aDeadlineMovedForEverDoesNotFillTheMemory() {
        var deadlines = Deadlines<Int>()
        for round in 0..<100_000 as Range<UInt64> {
            deadlines.set(1, at: Instant(microseconds: 1_000_000 + round % 7))
            deadlines.set(2, at: Instant(microseconds: round))
        }
        #expect(deadlines.storedEntries <= 128)
        #expect(deadlines.count == 2)
    }

    @Test func whatIsCancelledDoesNotFillTheMemory() {
        var deadlines = Deadlines<Int>()
        deadlines.set(-1, at: Instant(microseconds: 0))
        for round in 0..<10_000 {
            deadlines.set(round, at: Instant(microseconds: 1000))
            deadlines.cancel(round)
        }
        #expect(deadlines.storedEntries <= 128)
    }

    @Test func onlyWhatIsKeptIsKept() {
        var deadlines = Deadlines<Int>()
        for key in 0..<100 { deadlines.set(key, at: Instant(microseconds: UInt64(key))) }
        deadlines.removeAll { $0 < 90 }
        #expect(deadlines.earliest == Instant(microseconds: 90) && deadlines.count == 10)
    }
}

@Suite struct BackoffTests {
    @Test func theFirstFailureCostsNothing() {
        var random = Randomness(seed: 1)
        let backoff = Backoff(first: .milliseconds(100), maximum: .seconds(30))
        #expect(backoff.delay(afterFailures: 0, &random) == .zero)
        #expect(backoff.delay(afterFailures: 1, &random) == .zero)
        #expect(backoff.delay(afterFailures: -1, &random) == .zero)
    }

    @Test func itDoublesWithJitterUpToTheMaximum() {
        var random = Randomness(seed: 1)
        let backoff = Backoff(first: .milliseconds(100), maximum: .seconds(30))
        for failures in 2...100 {
            let full = min(Duration.milliseconds(100) * (1 << min(failures - 2, 20)), .seconds(30))
            for _ in 0..<20 {
                let delay = backoff.delay(afterFailures: failures, &random)
                #expect(delay <= full && delay >= full * 3 / 4)
            }
        }
    }

    @Test func extremesDoNotTrap() {
        var random = Randomness(seed: 1)
        let century = Duration.seconds(100 * 365 * 86400)
        for backoff in [
            Backoff(first: century, maximum: century), Backoff(first: .microseconds(1), maximum: .zero),
            Backoff(first: .seconds(-1), maximum: .seconds(1)),
            Backoff(first: .seconds(Int64.max), maximum: .seconds(Int64.max)),
        ] {
            for failures in [0, 1, 2, 3, 42, 64, 65, .max] {
                #expect(backoff.delay(afterFailures: failures, &random) >= .zero)
            }
        }
    }

    @Test func theGeneratorIsSplitMix64() {
        var random = Randomness(seed: 1_234_567)
        #expect(
            (0..<5).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }
}

@Suite struct InstantTests {
    @Test func sumsSaturate() {
        let late = Instant(microseconds: .max)
        #expect(late + .seconds(1) >= Instant(microseconds: UInt64(Int64.max)))
        #expect(Instant(microseconds: 5) + .seconds(-1) == Instant(microseconds: 0))
        #expect(Instant(microseconds: 5) + .seconds(Int64.max) == Instant(microseconds: UInt64(Int64.max)))
        #expect(Instant(microseconds: 7) - Instant(microseconds: 9) == .microseconds(-2))
        #expect(Duration.seconds(Int64.min).microseconds == .min)
    }

    @Test func failuresOfTheSameMomentAreAllCounted() {
        var failures = RecentFailures()
        let now = Instant(microseconds: 1)
        for _ in 0..<2000 { failures.record(at: now, within: .seconds(1)) }
        #expect(failures.count > 1000, "more than the largest StartLimitBurst=")
        failures.prune(at: now + .seconds(1), within: .seconds(1))
        #expect(failures.count > 1000, "exactly as old as the interval still counts")
        failures.prune(at: now + .microseconds(1_000_001), within: .seconds(1))
        #expect(failures.count == 0)
    }
}
