// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import CSystemd
internal import Glibc
package import Platform

/// Tells the service manager how the service is doing (sd_notify). Without one, every call does nothing.
package struct Notifier: Sendable {
    /// At most so many descriptors travel in one message (SCM_MAX_FD).
    private static let descriptorsPerMessage = 253

    package init() {}

    /// Whether a service manager listens.
    package var isActive: Bool { getenv("NOTIFY_SOCKET") != nil }

    /// Started, or done with reloading.
    package func ready(status: String? = nil) throws(SystemdError) { try send("READY=1", status) }

    /// Reloading has begun; `ready` ends it.
    package func reloading() throws(SystemdError) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let microseconds = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
        try send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)", nil)
    }

    /// An orderly stop has begun.
    package func stopping(status: String? = nil) throws(SystemdError) { try send("STOPPING=1", status) }

    /// The one line that `systemctl status` shows.
    package func status(_ text: String) throws(SystemdError) { try send(nil, text) }

    /// Alive. Not needed where the event loop's watchdog is on.
    package func watchdog() throws(SystemdError) { try send("WATCHDOG=1", nil) }

    /// The watchdog should act now, as if the service had been silent.
    package func triggerWatchdog() throws(SystemdError) { try send("WATCHDOG=trigger", nil) }

    /// Starting, reloading or stopping takes so many microseconds longer, from now.
    package func extendTimeout(by microseconds: UInt64) throws(SystemdError) {
        try send("EXTEND_TIMEOUT_USEC=\(microseconds)", nil)
    }

    /// The process that is the service from now on.
    package func mainProcess(_ pid: Int32) throws(SystemdError) { try send("MAINPID=\(pid)", nil) }

    /// Waits until the service manager has handled all that was sent before.
    package func barrier(timeout microseconds: UInt64) throws(SystemdError) {
        let result = sd_notify_barrier(0, microseconds)
        guard result >= 0 else { throw SystemdError("wait for the service manager", errno: -result) }
    }

    /// Leaves descriptors with the service manager, which gives them back under this name after a crash. The same
    /// descriptor given twice is kept twice: `forgetDescriptors` first.
    package func storeDescriptors(_ descriptors: [FileDescriptor], name: String) throws(SystemdError) {
        try Self.validate(name)
        var rest = descriptors[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.descriptorsPerMessage))
            rest = rest.dropFirst(part.count)
            let result = withExtendedLifetime(part) {
                sd_pid_notify_with_fds(
                    0, 0, "FDSTORE=1\nFDNAME=\(name)", part.map(\.raw), UInt32(part.count))
            }
            guard result >= 0 else {
                throw SystemdError("store descriptors as '\(name)' with the service manager", errno: -result)
            }
        }
    }

    /// Drops every descriptor stored under this name.
    package func forgetDescriptors(name: String) throws(SystemdError) {
        try Self.validate(name)
        try send("FDSTOREREMOVE=1\nFDNAME=\(name)", nil)
    }

    private func send(_ state: String?, _ status: String?) throws(SystemdError) {
        var lines = state.map { [$0] } ?? []
        if let status { lines.append("STATUS=\(String(status.map { $0.isNewline ? " " : $0 }))") }
        let text = lines.joined(separator: "\n")
        let result = sd_notify(0, text)
        guard result >= 0 else {
            throw SystemdError("tell the service manager '\(lines.first ?? "")'", errno: -result)
        }
    }

    /// The service manager silently ignores names it does not like.
    private static func validate(_ name: String) throws(SystemdError) {
        let isValid =
            (1...255).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: ":") }
        guard isValid else {
            throw SystemdError(
                "store a descriptor as '\(name)'", errno: EINVAL,
                detail: "names have 1 to 255 printable ASCII characters other than ':'")
        }
    }
}
