// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// systemd's ways to write times, sizes, booleans and lists.
package enum Quantity {
    /// What `infinity` stands for in a time: a hundred years, so that adding it to an instant cannot overflow
    /// 64-bit nanoseconds.
    package static let forever = Duration.seconds(3_155_760_000)

    /// `1`, `yes`, `y`, `true`, `t`, `on` and their opposites, in any letter case.
    package static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "yes", "y", "true", "t", "on": true
        case "0", "no", "n", "false", "f", "off": false
        default: nil
        }
    }

    /// A time span as in systemd.time(7): `500ms`, `5s`, `1min 30s`, `1.5h`, `infinity`; seconds without a unit.
    ///
    /// Anything above a hundred years is `forever`. Nil if it is not a time span.
    package static func timeSpan(_ text: String) -> Duration? {
        if text == "infinity" { return forever }
        var total: Int64 = 0
        guard
            components(
                text,
                { number, unit in
                    guard let scale = nanoseconds[unit], let value = number.scaled(by: scale) else { return false }
                    let (sum, overflow) = total.addingReportingOverflow(value)
                    total = overflow ? .max : sum
                    return true
                })
        else { return nil }
        return min(.nanoseconds(total), forever)
    }

    /// A size in bytes, to base 1024: `512M`, `1.5G`, `4096`. Nil if it is not a size or does not fit.
    package static func size(_ text: String) -> Int64? {
        var total: Int64?
        guard
            components(
                text,
                { number, unit in
                    guard total == nil, let scale = bytes[unit], let value = number.scaled(by: scale) else {
                        return false
                    }
                    total = value == .max ? nil : value
                    return true
                })
        else { return nil }
        return total
    }

    /// A whole number without a sign, in decimal.
    package static func wholeNumber(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// A span in the shortest form that `timeSpan` reads back: `1min 30s`.
    package static func text(of span: Duration) -> String {
        guard span < forever else { return "infinity" }
        let parts = span.components
        var rest = parts.seconds
        var words: [String] = []
        for (unit, length) in [("d", Int64(86400)), ("h", 3600), ("min", 60), ("s", 1)] where rest >= length {
            words.append("\(rest / length)\(unit)")
            rest %= length
        }
        var nanoseconds = parts.attoseconds / 1_000_000_000
        for (unit, length) in [("ms", Int64(1_000_000)), ("us", 1000), ("ns", 1)] where nanoseconds >= length {
            words.append("\(nanoseconds / length)\(unit)")
            nanoseconds %= length
        }
        return words.isEmpty ? "0" : words.joined(separator: " ")
    }

    private static let nanoseconds: [String: Int64] = {
        let units: [(Int64, [String])] = [
            (1, ["nsec", "ns"]), (1000, ["usec", "us", "µs", "μs"]), (1_000_000, ["msec", "ms"]),
            (1_000_000_000, ["seconds", "second", "sec", "s", ""]),
            (60_000_000_000, ["minutes", "minute", "min", "m"]),
            (3_600_000_000_000, ["hours", "hour", "hr", "h"]), (86_400_000_000_000, ["days", "day", "d"]),
            (604_800_000_000_000, ["weeks", "week", "w"]), (2_629_800_000_000_000, ["months", "month", "M"]),
            (31_557_600_000_000_000, ["years", "year", "y"]),
        ]
        var table: [String: Int64] = [:]
        for (length, names) in units { for name in names { table[name] = length } }
        return table
    }()

    private static let bytes: [String: Int64] = [
        "": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60,
    ]

    /// Calls `take` with each number and unit of `text`; false if it is not made of these or `take` says no.
    private static func components(_ text: String, _ take: (Decimal, String) -> Bool) -> Bool {
        var rest = text[...]
        var count = 0
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            if rest.isEmpty { return count > 0 }
            let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest[number.endIndex...].drop { $0 == " " || $0 == "\t" }
            let unit = rest.prefix { $0.isLetter }
            rest = rest[unit.endIndex...]
            guard let value = Decimal(number), take(value, String(unit)) else { return false }
            count += 1
        }
    }

    /// A number such as `1.25`, kept exactly.
    private struct Decimal {
        var whole: Int64
        /// Up to nine digits after the point; more are cut off.
        var billionths: Int64

        init?(_ text: Substring) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count <= 2, let head = parts.first, !head.isEmpty else { return nil }
            // A number too large for the type is clamped: every range here ends far below.
            whole = Int64(head) ?? .max
            billionths = 0
            guard parts.count == 2 else { return }
            guard !parts[1].isEmpty else { return nil }
            var place: Int64 = 100_000_000
            for digit in parts[1].utf8.prefix(9) {
                billionths += Int64(digit &- 0x30) * place
                place /= 10
            }
        }

        func scaled(by scale: Int64) -> Int64? {
            let (product, overflow) = whole.multipliedReportingOverflow(by: scale)
            guard !overflow else { return .max }
            let part = Int64(Double(billionths) / 1e9 * Double(scale))
            let (sum, overflowed) = product.addingReportingOverflow(part)
            return overflowed ? .max : sum
        }
    }
}
