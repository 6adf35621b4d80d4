// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
import Glibc
package import Platform
import Synchronization

/// A program that a measurement runs and that does not outlive it, nor do the processes that it starts.
package final class RunningProcess: Sendable {
    private struct State {
        var exitStatus: Int32?
        var isStopped = false
        var cleanup = 0
    }

    private static let markName = "RELIGHT_BENCH_RUN"

    package let pid: Int32
    private let child: ChildProcess
    /// An environment entry that all its descendants inherit, by which they are found when their parents are gone.
    private let mark: String
    private let state = Mutex(State())

    /// Starts a program with this process's environment, in which `environment` replaces values; a nil removes one.
    /// The file `log` gets standard output and standard error, else /dev/null does, unless it `sharesOutput` with this
    /// process; `passing` becomes descriptor 3.
    package init(
        path: String, arguments: [String], environment: [String: String?] = [:], log: String? = nil,
        sharesOutput: Bool = false, passing: FileDescriptor? = nil
    ) throws(SystemError) {
        var output = sharesOutput ? try FileDescriptor.duplicate(1) : nil
        let errors = sharesOutput ? try FileDescriptor.duplicate(2) : nil
        if let log {
            let fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open", subject: log) }
            output = FileDescriptor(owning: fd)
        }
        let run = "\(getpid())-\(MonotonicClock.now)"
        mark = "\(Self.markName)=\(run)"
        var variables = ProcessInfo.processInfo.environment
        // Swift's crash handler hangs when its process is killed while it crashes.
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables[Self.markName] = run
        for (name, value) in environment { variables[name] = value }
        child = try ChildProcess.spawn(
            path: path, arguments: [path] + arguments,
            environment: variables.map { "\($0.key)=\($0.value)" }.sorted(),
            descriptors: [nil, output, errors ?? output] + (passing.map { [$0] } ?? []))
        pid = child.pid
        let id = Cleanup.remember { [weak self] in _ = self?.stop() }
        state.withLock { $0.cleanup = id }
    }

    deinit { stop(graceSeconds: 0) }

    /// True until it has exited.
    package var isRunning: Bool { waitForExit(timeout: 0) == nil }

    /// Waits up to so many microseconds; the status of waitpid(2), or nil if it still runs.
    package func waitForExit(timeout: UInt64) -> Int32? {
        if let status = state.withLock({ $0.exitStatus }) { return status }
        var polled = pollfd(fd: child.pidfd.raw, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, Int32(clamping: timeout / 1000)) > 0 else { return nil }
        return state.withLock { state in
            if let status = state.exitStatus { return status }
            var value: Int32 = 0
            while waitpid(pid, &value, 0) < 0 {
                guard errno == EINTR else { break }
            }
            state.exitStatus = value
            return value
        }
    }

    package func signal(_ signal: Int32) { try? child.signal(signal) }

    /// Asks it to end, and makes it end when the time is over. Returns how many of its descendants were still there
    /// some seconds later; those are killed. Later calls do nothing.
    @discardableResult
    package func stop(graceSeconds: UInt64 = 10) -> Int {
        let (isFirst, cleanup) = state.withLock { state in
            defer { state.isStopped = true }
            return (!state.isStopped, state.cleanup)
        }
        guard isFirst else { return 0 }
        defer { Cleanup.forget(cleanup) }
        if isRunning {
            if graceSeconds > 0 {
                signal(SIGTERM)
                _ = waitForExit(timeout: graceSeconds * 1_000_000)
            }
            signal(SIGKILL)
            _ = waitForExit(timeout: 10_000_000)
        }
        // A process that is on its way out is no leftover.
        let isGone = MonotonicClock.poll(timeout: graceSeconds > 0 ? 3_000_000 : 0, interval: 50_000) { () -> Bool? in
            ProcessInventory.processes(withEnvironment: mark).isEmpty ? true : nil
        }
        guard isGone == nil else { return 0 }
        let left = ProcessInventory.processes(withEnvironment: mark)
        for pid in left { kill(pid, SIGKILL) }
        return left.count
    }
}

extension FileDescriptor {
    /// A descriptor of this process's own for one that it does not own.
    fileprivate static func duplicate(_ raw: Int32) throws(SystemError) -> FileDescriptor {
        let fd = fcntl(raw, F_DUPFD_CLOEXEC, 3)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot duplicate descriptor", subject: "\(raw)") }
        return FileDescriptor(owning: fd)
    }
}
