// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What a pool's configuration asks of the machines; its defaults stand in Configuration.
package struct PoolPolicy: Sendable, Equatable {
    /// Spare slots that a host keeps besides the bound ones.
    package var warmSlots: Int
    package var keepsStandby: Bool
    /// Each view has a curtain process that holds its last good frame.
    package var hasCurtains: Bool
    package var heartbeatInterval: Duration
    package var heartbeatTimeout: Duration
    package var helloTimeout: Duration
    /// How long a bind may take until it is verified.
    package var recoveryTimeout: Duration
    package var stopTimeout: Duration
    package var backoff: Backoff
    /// More failures than this within `startLimitInterval` put a view into quarantine.
    package var startLimitBurst: Int
    package var startLimitInterval: Duration
    /// Changes when hosts must be replaced for a new configuration to hold (another renderer, display, directory).
    package var generation: Int

    package init(
        warmSlots: Int = 1, keepsStandby: Bool = false, hasCurtains: Bool = false,
        heartbeatInterval: Duration = .seconds(5), heartbeatTimeout: Duration = .seconds(15),
        helloTimeout: Duration = .seconds(10), recoveryTimeout: Duration = .seconds(30),
        stopTimeout: Duration = .seconds(5),
        backoff: Backoff = Backoff(first: .milliseconds(100), maximum: .seconds(30)),
        startLimitBurst: Int = 5, startLimitInterval: Duration = .seconds(60), generation: Int = 0
    ) {
        self.warmSlots = warmSlots
        self.keepsStandby = keepsStandby
        self.hasCurtains = hasCurtains
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatTimeout = heartbeatTimeout
        self.helloTimeout = helloTimeout
        self.recoveryTimeout = recoveryTimeout
        self.stopTimeout = stopTimeout
        self.backoff = backoff
        self.startLimitBurst = startLimitBurst
        self.startLimitInterval = startLimitInterval
        self.generation = generation
    }

    /// What runs this long without failing is no crash loop, whatever happened before: failures so far apart stay within
    /// `startLimitBurst` in `startLimitInterval`.
    var healthyLife: Duration { startLimitInterval / max(startLimitBurst, 1) }

    /// In a crash loop even `RestartBackoff=0` gets pauses of this length, so that the machine stays usable.
    static let leastLoopPause = Duration.milliseconds(100)

    func pause(afterFailures failures: Int, _ randomness: inout Randomness) -> Duration {
        let pause = backoff.delay(afterFailures: failures, &randomness)
        return failures > startLimitBurst ? max(pause, Self.leastLoopPause) : pause
    }

    /// The same with no interval so short that its deadline would come again in the moment in which it is set.
    func withoutBusyLoops() -> Self {
        var policy = self
        for interval in [
            \Self.heartbeatInterval, \.heartbeatTimeout, \.helloTimeout, \.recoveryTimeout, \.stopTimeout,
            \.startLimitInterval,
        ] {
            policy[keyPath: interval] = max(policy[keyPath: interval], .milliseconds(1))
        }
        return policy
    }
}
