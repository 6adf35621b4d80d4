// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import Platform

/// What the event loop could not do, and why.
package struct EventLoopError: Error, Equatable, CustomStringConvertible {
    /// What was tried, as a verb phrase: "watch descriptor 7".
    package let operation: String
    package let errno: Int32

    package init(_ operation: String, errno: Int32) {
        self.operation = operation
        self.errno = errno
    }

    package var description: String { "cannot \(operation): \(SystemError.text(of: errno))" }
}
