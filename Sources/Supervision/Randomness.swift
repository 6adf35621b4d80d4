// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The machines' own generator (SplitMix64, Steele, Lea and Flood 2014): the same seed gives the same decisions.
package struct Randomness: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Exponential backoff with jitter: 0 for the first failure, then `first` doubled each time up to `maximum`, each
/// shortened by up to a quarter so that many views that failed together do not return together.
package struct Backoff: Sendable, Equatable {
    package var first: Duration
    package var maximum: Duration

    package init(first: Duration, maximum: Duration) {
        self.first = first
        self.maximum = maximum
    }

    /// The pause after so many failures in a row.
    package func delay(afterFailures failures: Int, _ randomness: inout Randomness) -> Duration {
        guard failures > 1, first > .zero else { return .zero }
        let doublings = min(failures - 2, 40)
        let (product, overflow) = first.microseconds.multipliedReportingOverflow(by: 1 << doublings)
        let full = overflow ? maximum.microseconds : min(product, maximum.microseconds)
        let jitter = full / 4
        return .microseconds(full - (jitter > 0 ? Int64.random(in: 0...jitter, using: &randomness) : 0))
    }
}
