// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// Tells a person how far a measurement has come, on standard error: one line that is rewritten on a terminal, now and
/// then a line elsewhere. Used on one thread.
package final class Progress {
    private let isTerminal = isatty(2) == 1
    private let isQuiet: Bool
    private var hasOpenLine = false

    package init(isQuiet: Bool = false) { self.isQuiet = isQuiet }

    package func step(_ number: Int, of total: Int, _ text: String) {
        guard !isQuiet else { return }
        if isTerminal {
            write("\r\u{1b}[K[\(number)/\(total)] \(text)")
            hasOpenLine = true
            if number == total { closeLine() }
        } else if number == total || number % 10 == 0 {
            write("[\(number)/\(total)] \(text)\n")
        }
    }

    package func note(_ text: String) {
        guard !isQuiet else { return }
        closeLine()
        write(text + "\n")
    }

    /// Shown even when quiet.
    package func warn(_ text: String) {
        closeLine()
        write(text + "\n")
    }

    private func closeLine() {
        if hasOpenLine { write("\n") }
        hasOpenLine = false
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        // Nothing useful can be done if standard error is closed.
        _ = Glibc.write(2, bytes, bytes.count)
    }
}
