// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Systemd

/// Where relightctl's output goes and what it may ask its surroundings: all of the world that commands see but files
/// and the socket.
package struct Console {
    var standardOutput: (String) throws(ToolFailure) -> Void
    var standardError: (String) -> Void
    var environment: (String) -> String?
    var isOutputTerminal: Bool
    var isErrorTerminal: Bool
    /// Of the terminal, if output is one.
    var columns: Int?
    /// Microseconds since 1970.
    var now: () -> UInt64
    /// Seconds since 1970 on the local clock.
    var calendar: (Int64) -> CalendarTime
    /// The last so many journal entries of a view, the oldest first; none where there is no journal to read.
    var journal: (_ view: String, _ count: Int) -> [JournalLine]

    /// NO_COLOR (no-color.org) counts if it is not empty; `choice` is what `--color` says.
    func isColoured(_ choice: String?, isTerminal: Bool) -> Bool {
        switch choice {
        case "always": true
        case "never": false
        default: isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        }
    }

    /// Whether the locale can show more than ASCII (locale(7): the first of these that is not empty decides).
    var isUnicode: Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        guard let locale = names.lazy.compactMap({ environment($0) }).first(where: { !$0.isEmpty }) else {
            return false
        }
        let upper = locale.uppercased()
        return upper.contains("UTF-8") || upper.contains("UTF8")
    }
}

/// One entry of the journal.
struct JournalLine: Sendable, Equatable {
    /// Microseconds since 1970.
    var time: UInt64
    /// As syslog(3) counts.
    var priority: Int
    var message: String
}

extension Console {
    /// This process's own.
    package static func process() -> Console {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        return Console(
            standardOutput: { text throws(ToolFailure) in
                if let error = put(Array(text.utf8), STDOUT_FILENO) {
                    throw .local("the output cannot be written: \(error)", "look where standard output goes")
                }
            },
            standardError: { _ = put(Array($0.utf8), STDERR_FILENO) },
            environment: { name in getenv(name).map { String(cString: $0) } },
            isOutputTerminal: isTerminal,
            isErrorTerminal: isatty(STDERR_FILENO) == 1,
            columns: isTerminal ? terminalColumns() : nil,
            now: {
                var time = timespec()
                clock_gettime(CLOCK_REALTIME, &time)
                return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec / 1_000)
            },
            calendar: { seconds in
                var time = time_t(seconds)
                var local = tm()
                localtime_r(&time, &local)
                return CalendarTime(
                    year: Int(local.tm_year) + 1900, month: Int(local.tm_mon) + 1, day: Int(local.tm_mday),
                    hour: Int(local.tm_hour), minute: Int(local.tm_min), second: Int(local.tm_sec))
            },
            journal: journal)
    }

    private static func journal(of view: String, last count: Int) -> [JournalLine] {
        var lines: [JournalLine] = []
        // Reading the journal is a courtesy of 'status': whoever may not, or has none, sees the rest.
        do {
            let reader = try JournalReader()
            try reader.match("RELIGHT_VIEW", view)
            try reader.match("_COMM", "relightd")
            try reader.seekTail(last: count)
            while lines.count < count, let record = try reader.next() {
                guard let message = record["MESSAGE"] else { continue }
                let priority = record["PRIORITY"].flatMap { Int($0) } ?? 6
                lines.append(JournalLine(time: record.realtime, priority: priority, message: message))
            }
        } catch {
            return lines
        }
        return lines
    }

    private static func terminalColumns() -> Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// Writes all bytes; the reason if that fails.
func put(_ bytes: [UInt8], _ fd: Int32) -> String? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
        if count < 0 {
            if errno == EINTR { continue }
            return String(cString: strerror(errno))
        }
        rest = rest.dropFirst(count)
    }
    return nil
}
