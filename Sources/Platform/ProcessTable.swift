// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CLinux
import Glibc

/// What /proc tells of processes (proc(5)). Everything here may be out of date when it returns; who signals a process
/// found here goes through `kill(_:)`, which makes sure that it is still the one that was meant.
package enum ProcessTable {
    package struct Entry: Sendable, Equatable {
        package let pid: Int32
        package let parent: Int32
        package let session: Int32
        package let state: Character
        /// Clock ticks after boot; with the PID it names one process.
        package let startTime: UInt64
        package let name: String

        /// Gone, or dying: nothing of it answers any more.
        package var isDead: Bool { state == "Z" || state == "X" }
    }

    /// Nil if there is no such process.
    package static func entry(_ pid: Int32) -> Entry? {
        guard let text = try? TextFile.read("/proc/\(pid)/stat", limit: 4096) else { return nil }
        // The name may hold spaces and parentheses: what counts is the last closing one.
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else { return nil }
        let fields = text[text.index(after: close)...].split(separator: " ")
        guard fields.count > 19, let state = fields[0].first, let parent = Int32(fields[1]),
            let session = Int32(fields[3]), let startTime = UInt64(fields[19])
        else { return nil }
        return Entry(
            pid: pid, parent: parent, session: session, state: state, startTime: startTime,
            name: String(text[text.index(after: open)..<close]))
    }

    /// The direct children of a process, of all its threads.
    package static func children(of pid: Int32) -> [Int32] {
        var found: [Int32] = []
        for thread in Directory.names(in: "/proc/\(pid)/task") {
            let text = (try? TextFile.read("/proc/\(pid)/task/\(thread)/children", limit: 1 << 20)) ?? ""
            found.append(contentsOf: text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) })
        }
        return found
    }

    /// All processes below one, parents before children; at most 10,000.
    package static func descendants(of pid: Int32) -> [Entry] {
        var found: [Entry] = []
        var next = [pid]
        while let parent = next.popLast(), found.count < 10_000 {
            for child in children(of: parent) {
                guard let entry = entry(child) else { continue }
                found.append(entry)
                next.append(child)
            }
        }
        return found
    }

    /// Sends SIGKILL to exactly this process; one that is gone, or whose PID another process has by now, is left alone.
    package static func kill(_ entry: Entry) {
        let pidfd = relight_pidfd_open(entry.pid)
        guard pidfd >= 0 else { return }
        // Looked at again with the pidfd in hand: from here on the PID cannot change its meaning.
        if self.entry(entry.pid)?.startTime == entry.startTime { relight_pidfd_send_signal(pidfd, SIGKILL) }
        close(pidfd)
    }

    /// Reaps a dead child that nobody watches; false while it lives or if it is no child of ours.
    @discardableResult
    package static func reap(_ pid: Int32) -> Bool { relight_reap(pid) > 0 }

    /// Allows this process as many open descriptors as its hard limit does (getrlimit(2)): each host takes two.
    package static func raiseDescriptorLimit() throws(SystemError) {
        _ = try SystemError.check(relight_raise_descriptor_limit(), "cannot raise the limit of open descriptors")
    }

    /// Makes orphaned descendants children of this process (prctl(2), PR_SET_CHILD_SUBREAPER).
    package static func becomeSubreaper() throws(SystemError) {
        _ = try SystemError.check(relight_set_subreaper(), "cannot adopt orphaned processes")
    }
}
