// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// CLOCK_MONOTONIC, whose microseconds every time in the renderer protocol counts.
package enum MonotonicClock {
    package static func microseconds() -> UInt64 {
        var time = timespec()
        // Cannot fail for this clock and a valid pointer (clock_gettime(2)).
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    }
}

/// Holds reports back until changes pause, but never longer than a maximum, however busy the page is. Times are
/// CLOCK_MONOTONIC microseconds.
package struct Debounce: Sendable, Equatable {
    private let quiet: UInt64
    private let maximum: UInt64
    private var first: UInt64?
    private var last: UInt64 = 0

    /// - Parameters:
    ///   - quiet: report when nothing has changed for so long.
    ///   - maximum: report so long after the first change at the latest.
    package init(quiet: UInt64 = 150_000, maximum: UInt64 = 500_000) {
        self.quiet = quiet
        self.maximum = maximum
    }

    /// When to report; nil if nothing waits.
    package var deadline: UInt64? { first.map { min(last + quiet, $0 + maximum) } }

    package mutating func noteChange(at now: UInt64) {
        if first == nil { first = now }
        last = now
    }

    /// True once if a report is due; the next change starts over.
    package mutating func take(at now: UInt64) -> Bool {
        guard let deadline, deadline <= now else { return false }
        first = nil
        return true
    }
}
