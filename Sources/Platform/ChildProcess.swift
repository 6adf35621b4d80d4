// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CLinux
import Glibc

/// A process that this one started, held by its pidfd, so that a signal never reaches a stranger with a reused PID.
package final class ChildProcess: Sendable {
    package let pid: Int32
    package let pidfd: FileDescriptor
    /// True if it was born in the cgroup that the request named.
    package let isInCgroup: Bool

    private init(pid: Int32, pidfd: FileDescriptor, isInCgroup: Bool) {
        self.pid = pid
        self.pidfd = pidfd
        self.isInCgroup = isInCgroup
    }

    /// Starts a program in a session of its own.
    ///
    /// - Parameters:
    ///   - path: the executable's; PATH is not searched.
    ///   - arguments: all of argv, the name included.
    ///   - environment: all of it, as `NAME=value`.
    ///   - descriptors: element i becomes descriptor i; nil is /dev/null. Everything else is closed.
    ///   - directory: the child's working directory; nil for the caller's.
    ///   - cgroup: a cgroup v2 directory to be born in, where the kernel can (clone3(2), CLONE_INTO_CGROUP).
    /// - Returns: the process; its exit must be waited for.
    /// - Throws: the errno of the step that failed, execve(2) included; no process is left in that case.
    package static func spawn(
        path: String, arguments: [String], environment: [String], descriptors: [FileDescriptor?],
        directory: String? = nil, cgroup: FileDescriptor? = nil
    ) throws(SystemError) -> ChildProcess {
        var result = relight_spawn_result()
        let status = withCStrings(arguments) { argv in
            withCStrings(environment) { envp in
                path.withCString { path in
                    withOptionalCString(directory) { directory in
                        let fds = descriptors.map { $0?.raw ?? -1 }
                        return fds.withUnsafeBufferPointer { fds in
                            var request = relight_spawn_request(
                                path: path, argv: argv, envp: envp, directory: directory, fds: fds.baseAddress,
                                fd_count: Int32(fds.count), cgroup_fd: cgroup?.raw ?? -1)
                            return relight_spawn(&request, &result)
                        }
                    }
                }
            }
        }
        withExtendedLifetime(descriptors) {}
        _ = try SystemError.check(status, "cannot start", path)
        return ChildProcess(
            pid: result.pid, pidfd: FileDescriptor(owning: result.pidfd), isInCgroup: result.in_cgroup != 0)
    }

    /// Sends a signal; a process that is already gone is no error.
    package func signal(_ signal: Int32) throws(SystemError) {
        let result = relight_pidfd_send_signal(pidfd.raw, signal)
        if result == -ESRCH { return }
        _ = try SystemError.check(result, "cannot signal process", "\(pid)")
    }
}

private func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}

/// Calls `body` with a NULL-ended array of C strings that lives as long as the call.
private func withCStrings<R>(_ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R) -> R {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for text in texts {
        offsets.append(bytes.count)
        bytes.append(contentsOf: text.utf8.filter { $0 != 0 }.map { CChar(bitPattern: $0) })
        bytes.append(0)
    }
    return bytes.withUnsafeBufferPointer { buffer in
        var pointers = offsets.map { offset in buffer.baseAddress.map { $0 + offset } }
        pointers.append(nil)
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
