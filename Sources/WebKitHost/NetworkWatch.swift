// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import GTKSupport
import Glibc
import HostKit
import Platform

/// Watches WebKit's network process, whose death WebKit tells nobody of.
final class NetworkWatch {
    private static let processName = "WebKitNetworkPr"
    /// Called with the PID and the CLOCK_MONOTONIC microseconds at which the death was seen.
    var onLost: ((Int32, UInt64) -> Void)?
    private var process: ProcessDescriptor?
    private var source: LoopSource?

    /// The network process that is watched; nil while there is none, or while it is dying.
    var livePID: Int32? {
        guard let process, !process.hasExited else { return nil }
        return process.pid
    }

    /// Finds the network process, if none is watched; true if one is now.
    @discardableResult
    func refresh() -> Bool {
        if process != nil { return true }
        guard let pid = Self.running().first, let process = try? ProcessDescriptor(pid: pid) else { return false }
        self.process = process
        // Before anything that WebKit does with the news: an answer without cookies must not be believed.
        source = .descriptor(process.descriptor.raw, .readable, priority: -100) { [weak self] _ in
            self?.lost()
            return false
        }
        return true
    }

    /// Whether this process, and no other, was the network process up to now. A dying one closes its connection before
    /// its pidfd tells, and WebKit may have started the next one already.
    func isSoundAndAlone(_ pid: Int32) -> Bool {
        livePID == pid && ProcessTable.entry(pid)?.isDead == false && Self.running() == [pid]
    }

    private func lost() {
        guard let pid = process?.pid else { return }
        process = nil
        onLost?(pid, MonotonicClock.microseconds())
    }

    private static func running() -> [Int32] {
        ProcessTable.descendants(of: getpid()).filter { $0.name == processName && !$0.isDead }
            .map(\.pid)
    }
}
#endif
