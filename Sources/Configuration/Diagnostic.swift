// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What is wrong with a configuration file, where, and how to mend it.
package struct Diagnostic: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Severity: String, Equatable, Sendable {
        /// What the file says cannot be used.
        case error
        /// Allowed, but hardly meant.
        case warning
    }

    package var severity: Severity
    package var path: String
    /// Counted from 1; nil when the whole file is meant.
    package var line: Int?
    /// Counted in bytes from 1.
    package var column: Int?
    package var key: String?
    package var message: String
    package var remedy: String?

    package init(
        _ severity: Severity, path: String, line: Int? = nil, column: Int? = nil, key: String? = nil, message: String,
        remedy: String? = nil
    ) {
        self.severity = severity
        self.path = path
        self.line = line
        self.column = column
        self.key = key
        self.message = message
        self.remedy = remedy
    }

    /// One line: `views/lobby.view:3: unknown key 'Ulr' in [View]; did you mean 'URL'?`.
    package var description: String {
        var text = printable(path, limit: 200)
        if let line { text += ":\(line)" }
        text += ": "
        if severity == .warning { text += "warning: " }
        text += message
        if let remedy { text += "; " + remedy }
        return text
    }
}

/// `text` made safe for a terminal and a log line: control characters escaped, cut after `limit` characters.
func printable(_ text: some StringProtocol, limit: Int = 60) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
        if count == limit { return result + "…" }
        count += 1
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator:
            result += "\\u{" + String(scalar.value, radix: 16) + "}"
        default:
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}
