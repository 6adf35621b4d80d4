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
    /// Active once, and told to stop. Until they are gone nobody else touches the pool's data.
    var leaving: Set<HostID> = []
    var activeRestarts = Restarts()
    /// Of its own: standbys that keep dying must not hold up the cold host that replaces an active one.
    var standbyRestarts = Restarts()
    var isRemoved = false
}

struct Host: Sendable {
    enum Phase: Sendable, Equatable {
        /// being started, or started and silent until its hello
        case starting
        case ready
        /// asked to stop, on purpose; its views wait for its exit, since it may say more about them
        case stopping
        /// killed because it failed, or, without a cause, because it did not stop; its views wait for its exit
        case killed(Incident.Cause?)
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
    /// Views that were not verified in time since the last one that was.
    var lateViews: Set<String> = []
    /// When it said hello.
    var readySince: Instant?
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
    /// How many quarantines there were without a healthy life after them; until then each failure leads to another.
    var quarantines = 0
    var curtain: HostID?
    var curtainRestarts = Restarts()

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
}

/// When something that failed may be started again: at once after the first failure, then ever later. Failures count
/// that came within the interval, and all since the last healthy life: pauses longer than the interval must not make it
/// forget.
struct Restarts: Sendable {
    private var recent = RecentFailures()
    private var inARow = 0
    /// Nil if it may be started at once.
    private(set) var notBefore: Instant?

    var failures: Int { max(recent.count, inARow) }

    /// `life` is how long it had been ready.
    mutating func recordFailure(
        at now: Instant, after life: Duration, _ policy: PoolPolicy, _ randomness: inout Randomness
    ) {
        recent.record(at: now, within: policy.startLimitInterval)
        inARow = life >= policy.healthyLife ? 1 : inARow + 1
        notBefore = now + policy.pause(afterFailures: failures, &randomness)
    }
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
    /// The view waited long enough for its curtain.
    case curtain(String)
    /// The end of a pause before the next curtain.
    case hang(String)
    /// The same for the active host and the standby of a pool.
    case spawn(String)
    case spawnStandby(String)
}
