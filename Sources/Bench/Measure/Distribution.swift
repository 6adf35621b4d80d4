// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Measured durations, summed up.
package struct Distribution: Sendable, Equatable {
    private var sorted: [UInt64]

    /// - Parameter microseconds: in any order.
    package init(microseconds: [UInt64]) { sorted = microseconds.sorted() }

    package var count: Int { sorted.count }

    /// The smallest value that at least this share (0 to 1) of all values does not exceed, in milliseconds with two
    /// decimals; nil if there are no values.
    package func quantile(_ share: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return Self.milliseconds(sorted[Swift.min(Swift.max(rank, 1), sorted.count) - 1])
    }

    package var p50: Double? { quantile(0.5) }
    package var p99: Double? { quantile(0.99) }
    package var max: Double? { quantile(1) }

    package static func milliseconds(_ microseconds: UInt64) -> Double {
        (Double(microseconds) / 10).rounded() / 100
    }
}

/// As it stands in a summary.
package struct Quantiles: Sendable, Equatable, Codable {
    package var p50: Double?
    package var p99: Double?
    package var max: Double?

    package init(_ distribution: Distribution, p99: Bool = true) {
        p50 = distribution.p50
        self.p99 = p99 ? distribution.p99 : nil
        max = distribution.max
    }
}
