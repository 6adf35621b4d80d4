// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Synchronization

@testable import ControlTool

/// A console that keeps what is written, in a world that never changes: 2026-07-30 12:00:00 UTC, no terminal.
final class ScriptedConsole: Sendable {
    static let now: UInt64 = 1_785_412_800_000_000
    private let texts = Mutex<(output: String, error: String)>(("", ""))

    var output: String { texts.withLock { $0.output } }
    var error: String { texts.withLock { $0.error } }

    func console(terminal columns: Int? = nil, _ environment: [String: String] = ["LANG": "C.UTF-8"]) -> Console {
        Console(
            standardOutput: { text in self.texts.withLock { $0.output += text } },
            standardError: { text in self.texts.withLock { $0.error += text } },
            environment: { environment[$0] }, isOutputTerminal: columns != nil, isErrorTerminal: columns != nil,
            columns: columns, now: { Self.now }, calendar: Self.utc,
            journal: { view, _ in
                [JournalLine(time: Self.now - 1_000_000, priority: 4, message: "\(view) failed\u{1B}[2J")]
            })
    }

    /// Seconds since 1970 as UTC, days by Howard Hinnant's `civil_from_days`.
    static func utc(_ seconds: Int64) -> CalendarTime {
        let (days, rest) = (seconds / 86_400 + 719_468, Int(seconds % 86_400))
        let era = days / 146_097
        let day = days - era * 146_097
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isLate = month < 10
        return CalendarTime(
            year: Int(year + era * 400 + (isLate ? 0 : 1)), month: Int(isLate ? month + 3 : month - 9),
            day: Int(dayOfYear - (153 * month + 2) / 5 + 1), hour: rest / 3_600, minute: rest / 60 % 60,
            second: rest % 60)
    }
}
