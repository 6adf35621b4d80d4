// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CLinux
import Glibc

/// A pidfd (pidfd_open(2)) for a process that something else started: tells of its exit, and of nobody else's.
package final class ProcessDescriptor {
    package let pid: Int32
    /// Readable once the process has exited.
    package let descriptor: FileDescriptor

    package init(pid: Int32) throws(SystemError) {
        self.pid = pid
        let fd = try SystemError.check(relight_pidfd_open(pid), "cannot watch process", "\(pid)")
        self.descriptor = FileDescriptor(owning: fd)
    }

    package var hasExited: Bool {
        var entry = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
