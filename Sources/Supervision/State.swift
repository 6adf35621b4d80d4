// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The parts of the supervisor's state. A case owns what exists only in that state.

struct Pool: Sendable {
    var policy: PoolPolicy
    /// In the order in which they were opened.
    var views: [String] = []
    /// Views that want a slot, the longest waiting first.
    var waiting: [String] = []
    var active: HostID?
    var standby: HostID?
    /// When hosts of this pool failed lately.
    var failures = RecentFailures()
    var isRemoved = false
}

struct Host: Sendable {
    enum Phase: Sendable, Equatable {
        /// being started, or started and silent until its hello
        case starting
        case ready
        /// asked to stop, on purpose
        case stopping
        /// killed because it failed; its views wait for its exit
        case killed(Incident.Cause)
    }

    let id: HostID
    let pool: String
    let generation: Int
    var role: HostRole
    var phase = Phase.starting
    /// In the order in which they became ready.
    var warm: [Int] = []
    var bound: [Int: String] = [:]
    var wantedWarm: Int
    /// True while the engine may lack cookies that the pool has.
    var needsCookies: Bool
    var wasStandby: Bool
    var pings: UInt64 = 0
    var lastPong = Instant(microseconds: 0)
}

struct View: Sendable {
    enum Phase: Sendable, Equatable {
        /// held back until its curtain hangs, so that the view's window comes above it
        case curtainFirst
        case waiting
        /// between the bind and its verification
        case binding(HostID, slot: Int, bind: UInt64)
        case shown(HostID, slot: Int, since: Instant)
        /// a pause before the next attempt
        case pausing
        case quarantined
    }

    let name: String
    let pool: String
    var phase: Phase
    var incident: Incident?
    var failures = RecentFailures()
    /// How many failures in a row, with no healthy second between them.
    var rung = 0
    var quarantines = 0
    var curtain: HostID?
    var curtainFailures = RecentFailures()

    var place: (host: HostID, slot: Int)? {
        switch phase {
        case .binding(let host, let slot, _), .shown(let host, let slot, _): (host, slot)
        case .curtainFirst, .waiting, .pausing, .quarantined: nil
        }
    }
}

/// Failures within an interval; bounded, since only "more than the burst" matters.
struct RecentFailures: Sendable {
    private var instants: [Instant] = []

    mutating func record(at instant: Instant, within interval: Duration) {
        instants.append(instant)
        prune(at: instant, within: interval)
        if instants.count > 1024 { instants.removeFirst(instants.count - 1024) }
    }

    mutating func prune(at instant: Instant, within interval: Duration) {
        instants.removeAll { instant - $0 > interval }
    }

    mutating func clear() { instants = [] }

    var count: Int { instants.count }
    var newest: Instant? { instants.last }
}

enum Deadline: Hashable, Sendable {
    case hello(HostID)
    case ping(HostID)
    /// A stopping or killed host must be gone.
    case end(HostID)
    /// A ready host owes slots to waiting views.
    case slots(HostID)
    case bind(String)
    /// The end of a pause or of quarantine.
    case retry(String)
    /// The curtain had its time.
    case curtain(String)
    case spawn(String)
}
