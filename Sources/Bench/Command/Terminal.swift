// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
import Glibc

/// Standard output as a person or a program reads it.
enum Terminal {
    /// True where colours help: on a terminal, unless NO_COLOR says otherwise (no-color.org).
    static let isColoured =
        isatty(1) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

    /// Writes all of it; a reader that has gone away is the end of the output, not of the run.
    static func print(_ text: String, terminator: String = "\n") {
        let bytes = Array((text + terminator).utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { Glibc.write(1, $0 + offset, buffer.count - offset) } ?? 0
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            offset += count
        }
    }

    static func bold(_ text: String) -> String { isColoured ? "\u{1b}[1m\(text)\u{1b}[0m" : text }
    static func green(_ text: String) -> String { isColoured ? "\u{1b}[32m\(text)\u{1b}[0m" : text }
    static func red(_ text: String) -> String { isColoured ? "\u{1b}[31m\(text)\u{1b}[0m" : text }
    static func faint(_ text: String) -> String { isColoured ? "\u{1b}[2m\(text)\u{1b}[0m" : text }

    /// Pads to a width, on the left for numbers.
    static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? space + text : text + space
    }

    /// Milliseconds with one decimal, or a dash.
    static func milliseconds(_ value: Double?) -> String {
        guard let value else { return "-" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)) ms"
    }
}
