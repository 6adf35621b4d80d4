// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CLinux
import Glibc

/// An open file descriptor with one owner; closed when the last reference goes.
///
/// A class and not a noncopyable value, since descriptors wait in queues and travel with messages.
package final class FileDescriptor: Sendable {
    package let raw: Int32

    /// Takes ownership of an open descriptor.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        // Nothing can be done about a failure here: Linux frees the number in every case (close(2)).
        close(raw)
    }

    /// A second descriptor for the same open file, close-on-exec.
    package func duplicate() throws(SystemError) -> FileDescriptor {
        try Self.duplicate(of: raw)
    }

    /// A second descriptor for an open file that somebody else owns, close-on-exec.
    package static func duplicate(of raw: Int32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try SystemError.check(relight_dup_cloexec(raw), "cannot duplicate descriptor", "\(raw)"))
    }
}
