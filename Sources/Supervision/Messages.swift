// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// A host process; never used twice by one relightd.
package struct HostID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    package var description: String { "host \(number)" }
}

package enum HostRole: Hashable, Sendable {
    case active
    /// started and idle, ready to take all views of its pool
    case standby
    /// shows the last good frame of one view
    case curtain(view: String)
}

package enum LossReason: Sendable, Equatable {
    case crashed, memory, unresponsive, closed
}

/// What happened in the world.
package enum Event: Sendable, Equatable {
    case configurePool(String, PoolPolicy)
    case removePool(String)
    case openView(String, pool: String)
    case closeView(String)
    /// An operator wants a view out of quarantine at once.
    case retryView(String)

    /// Its start waits for its turn: so many hosts are starting already. `hostSpawned` follows.
    case hostQueued(HostID)
    case hostSpawned(HostID)
    case hostSpawnFailed(HostID)
    /// The host said hello and was welcomed.
    case hostGreeted(HostID)
    /// It broke the protocol or closed its socket: it must go.
    case hostFailed(HostID)
    case hostExited(HostID)

    case slotReady(HostID, slot: Int)
    /// `at` is when the host saw it.
    case slotLost(HostID, slot: Int, LossReason, at: Instant)
    case networkLost(HostID, at: Instant)
    case progress(HostID, slot: Int, bind: UInt64, step: Incident.Step, at: Instant, detail: String?)
    /// `silent` names bound slots and how long their page has not answered.
    case pong(HostID, silent: [Int: Duration])

    /// A deadline came.
    case tick
    case shutDown
}

/// How to bind a view.
package struct Binding: Sendable, Equatable {
    package let host: HostID
    package let slot: Int
    package let bind: UInt64
    package let view: String
    /// False on the step of the ladder that drops the page state.
    package let restoresState: Bool
    /// True if the host's engine may not hold the pool's cookies.
    package let bringsCookies: Bool
}

/// What the shell must do. It reports back by events.
package enum Action: Sendable, Equatable {
    case spawn(HostID, pool: String, role: HostRole, warmSlots: Int)
    /// Ask it to stop; a deadline follows.
    case stop(HostID)
    /// End the whole process group now.
    case kill(HostID, reason: String)
    case warm(HostID, count: Int)
    case bind(Binding)
    case release(HostID, slot: Int)
    case ping(HostID, sequence: UInt64)
    case incidentOpened(Incident)
    case incidentClosed(Incident)
    case viewReady(view: String, host: HostID, slot: Int)
    case viewQuarantined(view: String, for: Duration, failures: Int)
    case viewClosed(view: String)
    /// No host is left after `shutDown`.
    case finished
}
