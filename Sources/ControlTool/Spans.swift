// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Lengths and points of time as people write them.
enum Spans {
    /// "620 µs", "43 ms", "1.2 s", "3 min 12 s", "2 h 5 min", "3 d 4 h".
    static func text(microseconds: Int64) -> String {
        if microseconds < 0 { return "-" + text(microseconds: microseconds == .min ? .max : -microseconds) }
        switch microseconds {
        case ..<1_000: return "\(microseconds) µs"
        case ..<9_950: return tenths(microseconds, of: 1_000) + " ms"
        case ..<999_500: return "\((microseconds + 500) / 1_000) ms"
        case ..<9_950_000: return tenths(microseconds, of: 1_000_000) + " s"
        case ..<59_500_000: return "\((microseconds + 500_000) / 1_000_000) s"
        default: break
        }
        let seconds = microseconds / 1_000_000 + (microseconds % 1_000_000 >= 500_000 ? 1 : 0)
        switch seconds {
        case ..<3_600: return pair(seconds, 60, "min", 1, "s")
        case ..<86_400: return pair(seconds, 3_600, "h", 60, "min")
        default: return pair(seconds, 86_400, "d", 3_600, "h")
        }
    }

    /// "0 ms", "2.5 ms", "43 ms", "2022 ms": one unit for all, so that they compare in a column.
    static func milliseconds(_ microseconds: Int64) -> String {
        if microseconds != 0 && abs(Double(microseconds)) < 9_950 {
            return (microseconds < 0 ? "-" : "") + tenths(abs(microseconds), of: 1_000) + " ms"
        }
        return "\(Int64((Double(microseconds) / 1_000).rounded())) ms"
    }

    private static func tenths(_ value: Int64, of unit: Int64) -> String {
        let tenths = (value + unit / 20) / (unit / 10)
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private static func pair(_ value: Int64, _ unit: Int64, _ name: String, _ part: Int64, _ partName: String) -> String
    {
        let rest = value % unit / part
        return rest == 0 ? "\(value / unit) \(name)" : "\(value / unit) \(name) \(rest) \(partName)"
    }

    /// How long before `now` a time was; both in microseconds since 1970. Clocks that disagree give "0 µs".
    static func age(of time: UInt64, at now: UInt64) -> String {
        text(microseconds: Int64(clamping: now > time ? now - time : 0))
    }

    /// "2026-07-30 12:00:03", in the local time that `calendar` knows, with milliseconds if wanted.
    static func date(_ time: UInt64, _ calendar: (Int64) -> CalendarTime, milliseconds: Bool = false) -> String {
        let local = calendar(Int64(clamping: time / 1_000_000))
        let date = "\(local.year)-\(two(local.month))-\(two(local.day))"
        let clock = "\(two(local.hour)):\(two(local.minute)):\(two(local.second))"
        guard milliseconds else { return "\(date) \(clock)" }
        let fraction = String(time / 1_000 % 1_000)
        return "\(date) \(clock).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A point of time on somebody's clock.
struct CalendarTime: Sendable, Equatable {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int
}
