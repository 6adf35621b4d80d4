// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// One failure of one view, from the first sign to the verified recovery.
package struct Incident: Sendable, Equatable {
    package enum Cause: String, Sendable {
        case contentCrashed, memory, unresponsive, hostExited, networkProcessLost, recoveryFailed
    }

    package enum Outcome: String, Sendable {
        /// the page is back and verified
        case recovered
        /// somebody closed the view meanwhile, or relightd stops
        case closed
    }

    /// Where the view came back.
    package enum Path: String, Sendable {
        case sameHost, standby, coldHost
    }

    package enum Step: String, Sendable {
        case died, detected, slotBound, cookiesIn, stateIn, loadStarted, loadFinished, firstPaint, verified, failed,
            quarantined
    }

    package struct Mark: Sendable, Equatable {
        package let step: Step
        package let at: Instant
        package let detail: String?
    }

    /// The most marks kept; a view that fails for a week must not fill the memory.
    package static let maximumMarks = 64

    /// 32 hexadecimal digits.
    package let id: String
    package let view: String
    package let pool: String
    package let cause: Cause
    package let openedAt: Instant
    /// The host and slot that failed.
    package let host: HostID?
    package let slot: Int?
    package internal(set) var attempts = 0
    package internal(set) var path: Path?
    package internal(set) var outcome: Outcome?
    package internal(set) var closedAt: Instant?
    package private(set) var timeline: [Mark] = []

    init(
        id: String, view: String, pool: String, cause: Cause, openedAt: Instant, host: HostID?, slot: Int?
    ) {
        self.id = id
        self.view = view
        self.pool = pool
        self.cause = cause
        self.openedAt = openedAt
        self.host = host
        self.slot = slot
    }

    mutating func mark(_ step: Step, at instant: Instant, detail: String? = nil) {
        guard timeline.count < Self.maximumMarks || step == .verified else { return }
        timeline.append(Mark(step: step, at: instant, detail: detail))
    }
}
