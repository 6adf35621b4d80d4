// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Something that keeps a measurement from being made: what, and what can be done.
package struct BenchError: Error, Sendable, CustomStringConvertible {
    package let message: String
    package let remedy: String

    package init(_ message: String, remedy: String = "") {
        self.message = message
        self.remedy = remedy
    }

    package var description: String { remedy.isEmpty ? message : "\(message) (\(remedy))" }
}
