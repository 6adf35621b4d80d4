// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// A moment on CLOCK_MONOTONIC, in microseconds. The machines get it with every event and never read a clock.
package struct Instant: Hashable, Comparable, Sendable {
    package var microseconds: UInt64

    package init(microseconds: UInt64) {
        self.microseconds = microseconds
    }

    package static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    /// Saturates at both ends: an interval of "for ever" must not trap.
    package static func + (instant: Self, interval: Duration) -> Self {
        let (sum, overflow) = Int64(clamping: instant.microseconds).addingReportingOverflow(interval.microseconds)
        return Self(microseconds: overflow ? UInt64(Int64.max) : UInt64(clamping: sum))
    }

    package static func - (left: Self, right: Self) -> Duration {
        .microseconds(Int64(clamping: left.microseconds) - Int64(clamping: right.microseconds))
    }
}

extension Duration {
    /// Whole microseconds, saturating.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return carry ? (seconds < 0 ? .min : .max) : sum
    }
}
