// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// A system call that failed: what was tried, on what, and why (errno(3)).
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The errno value.
    package let code: Int32
    /// What was being done, in words: "cannot open".
    package let action: String
    /// The path, descriptor or process it was done to; empty if there is none.
    package let subject: String

    package init(code: Int32, action: String, subject: String = "") {
        self.code = code
        self.action = action
        self.subject = subject
    }

    package var reason: String { SystemError.text(of: code) }

    package var description: String {
        subject.isEmpty ? "\(action): \(reason)" : "\(action) \(subject): \(reason)"
    }

    /// The text of an errno value, thread-safe.
    package static func text(of code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        // The GNU variant returns the text, which need not be in the buffer.
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Turns the "value or -errno" of a CLinux call into a value or an error.
    package static func check<T: BinaryInteger>(
        _ value: T, _ action: @autoclosure () -> String, _ subject: @autoclosure () -> String = ""
    ) throws(SystemError) -> T {
        guard value < 0 else { return value }
        throw SystemError(code: Int32(truncatingIfNeeded: 0 - Int64(value)), action: action(), subject: subject())
    }
}
