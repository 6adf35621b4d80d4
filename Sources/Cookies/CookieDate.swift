// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The dates of `Expires`, by the forgiving rules of RFC 6265bis, section 5.1.1.
package enum CookieDate {
    /// Seconds since 1970, UTC (time zones in the text are ignored); nil if it is no date.
    package static func parse(_ bytes: some Sequence<UInt8>) -> Int64? {
        var found = Fields()
        for token in tokens(Array(bytes)) { found.take(token) }
        return found.seconds
    }

    private struct Fields {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?

        /// The first token of each kind counts.
        mutating func take(_ token: ArraySlice<UInt8>) {
            if time == nil, let value = clock(token) {
                time = value
            } else if day == nil, let value = number(token, digits: 1...2) {
                day = value
            } else if month == nil, let value = monthNumber(token) {
                month = value
            } else if year == nil, let value = number(token, digits: 2...4) {
                year = value
            }
        }

        var seconds: Int64? {
            guard let time, let day, let month, var year else { return nil }
            if (70...99).contains(year) { year += 1900 }
            if (0...69).contains(year) { year += 2000 }
            guard year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59 else { return nil }
            guard day >= 1, day <= CookieDate.days(inMonth: month, of: year) else { return nil }
            let days = CookieDate.daysSince1970(year: year, month: month, day: day)
            return Int64(days) * 86400 + Int64(time.hour * 3600 + time.minute * 60 + time.second)
        }
    }

    private static func tokens(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split { byte in
            switch byte {
            case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
            default: false
            }
        }
    }

    /// The number that `token` starts with; nil if it has more or fewer digits.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let run = token.prefix { isDigit($0) }
        guard digits.contains(run.count) else { return nil }
        return run.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func clock(_ token: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit),
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func monthNumber(_ token: ArraySlice<UInt8>) -> Int? {
        guard token.count >= 3 else { return nil }
        let start = String(decoding: token.prefix(3).map(lowercased), as: UTF8.self)
        return months.firstIndex(of: start).map { $0 + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days from 1970-01-01 in the Gregorian calendar, counted in years that start in March.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}

func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

/// ASCII letters only, as protocols have it.
func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
