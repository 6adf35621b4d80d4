// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Cookies
package import Wire

/// Turns an engine's cookie lists into numbered reports of what changed, and keeps what is needed to put the cookies
/// back when the engine loses them.
package struct CookieReporter {
    /// What the engine holds, as far as is known: the last credible list, with relightd's own changes made.
    package private(set) var known: [Cookie] = []
    /// Reports that relightd has not yet said are on disk, oldest first.
    package private(set) var unacknowledged: [HostMessage.CookieReport] = []
    private var lastSequence: UInt64 = 0

    package init() {}

    /// Cookies that relightd put in: no news to it.
    package mutating func noteFromSupervisor(_ changes: CookieChanges) {
        known = changes.applied(to: known)
    }

    /// Cookies that the engine would not take: it lacks them, which is not a deletion.
    package mutating func noteRefused(_ cookies: [Cookie]) {
        known = CookieChanges(deleted: cookies.map(\.identity)).applied(to: known)
    }

    /// Compares a list that the engine gave with what is known; nil if nothing changed. With `deletionsCount` false,
    /// cookies that the list lacks are still wanted: it may come from an engine that has just lost them.
    package mutating func observe(_ current: [Cookie], deletionsCount: Bool = true) -> HostMessage.CookieReport? {
        var changes = CookieChanges.between(old: known, new: current)
        if !deletionsCount { changes.deleted = [] }
        return report(changes)
    }

    /// Reports changes that the engine named itself; nil if they change nothing.
    package mutating func report(_ changes: CookieChanges) -> HostMessage.CookieReport? {
        guard !changes.isEmpty else { return nil }
        known = changes.applied(to: known)
        lastSequence += 1
        let report = HostMessage.CookieReport(sequence: lastSequence, changes: changes)
        unacknowledged.append(report)
        return report
    }

    /// relightd has everything up to `sequence` on disk.
    package mutating func acknowledge(_ sequence: UInt64) {
        unacknowledged.removeAll { $0.sequence <= sequence }
    }
}
