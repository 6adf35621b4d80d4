// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
import Glibc
package import Platform
import Synchronization

/// A program that a measurement runs and that does not outlive it.
package final class RunningProcess: Sendable {
    package let pid: Int32
    private let child: ChildProcess
    private let exitStatus = Mutex<Int32?>(nil)

    /// Starts a program with this process's environment, in which `environment` replaces values; a nil removes one.
    /// The file `log` gets standard output and standard error; `passing` becomes descriptor 3.
    package init(
        path: String, arguments: [String], environment: [String: String?] = [:], log: String? = nil,
        passing: FileDescriptor? = nil
    ) throws(SystemError) {
        var output: FileDescriptor?
        if let log {
            let fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open", subject: log) }
            output = FileDescriptor(owning: fd)
        }
        var variables = ProcessInfo.processInfo.environment
        // Swift's crash handler hangs when its process is killed while it crashes.
        variables["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in environment { variables[name] = value }
        child = try ChildProcess.spawn(
            path: path, arguments: [path] + arguments,
            environment: variables.map { "\($0.key)=\($0.value)" }.sorted(),
            descriptors: [nil, output, output] + (passing.map { [$0] } ?? []))
        pid = child.pid
    }

    deinit { stop(graceSeconds: 0) }

    /// True until it has exited.
    package var isRunning: Bool { waitForExit(timeout: 0) == nil }

    /// Waits up to so many microseconds; the status of waitpid(2), or nil if it still runs.
    package func waitForExit(timeout: UInt64) -> Int32? {
        exitStatus.withLock { status in
            if let status { return status }
            var polled = pollfd(fd: child.pidfd.raw, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, Int32(clamping: timeout / 1000)) > 0 else { return nil }
            var value: Int32 = 0
            while waitpid(pid, &value, 0) < 0 {
                guard errno == EINTR else { break }
            }
            status = value
            return value
        }
    }

    package func signal(_ signal: Int32) { try? child.signal(signal) }

    /// Asks it to end, and makes it end when the time is over. Later calls do nothing.
    package func stop(graceSeconds: UInt64 = 10) {
        guard isRunning else { return }
        if graceSeconds > 0 {
            signal(SIGTERM)
            guard waitForExit(timeout: graceSeconds * 1_000_000) == nil else { return }
        }
        signal(SIGKILL)
        _ = waitForExit(timeout: 10_000_000)
    }
}
