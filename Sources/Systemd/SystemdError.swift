// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import Platform

/// What could not be done with the service manager or the journal, and why.
package struct SystemdError: Error, Equatable, CustomStringConvertible {
    /// What was tried, as a verb phrase that names the thing: "read credential 'key'".
    package let operation: String
    /// 0 when the detail says it all.
    package let errno: Int32
    package let detail: String?

    package init(_ operation: String, errno: Int32, detail: String? = nil) {
        self.operation = operation
        self.errno = errno
        self.detail = detail
    }

    package var description: String {
        "cannot \(operation): \(detail ?? SystemError.text(of: errno))"
    }
}
