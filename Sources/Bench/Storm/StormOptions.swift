// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Wire

/// What a storm is asked to do.
package struct StormOptions: Sendable, Equatable {
    package var target = Control.KillParameters.Target.content
    package var kills = 20
    package var seed: UInt64 = 1
    package var views = 1
    package var keepsScratch = false

    package init() {}
}

/// A storm's result, as its last line prints it.
package struct StormSummary: Sendable, Equatable, Codable {
    package struct White: Sendable, Equatable, Codable {
        package var p50: Double?
        package var max: Double?
    }
    package struct Counters: Sendable, Equatable, Codable {
        package var localStorage: Double?
        package var indexedDB: Double?
    }
    package var target = ""
    package var seed: UInt64 = 0
    package var views = 0
    package var kills = 0
    package var recovered = 0
    package var lostAcknowledgedCookies = 0
    package var staleState = 0
    package var recovery = Quantiles(Distribution(microseconds: []))
    package var white = White()
    package var descriptorsBefore = 0
    package var descriptorsAfter = 0
    package var zombies = 0
    package var processesLeft = 0
    /// The most that the page's counters lost, in milliseconds.
    package var lostCounters = Counters()
    package var requestsWithoutCookies = 0
    package var looksPerSecond = 0
    /// The longest time in which nobody looked at the screen, in milliseconds.
    package var longestGap = 0.0

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case target, seed, views, kills, recovered, zombies
        case lostAcknowledgedCookies = "lost_acknowledged_cookies"
        case staleState = "stale_state"
        case recovery = "recovery_ms"
        case white = "white_ms"
        case descriptorsBefore = "fds_before"
        case descriptorsAfter = "fds_after"
        case processesLeft = "processes_left"
        case lostCounters = "lost_counter_ms"
        case requestsWithoutCookies = "requests_without_cookies"
        case looksPerSecond = "looks_per_second"
        case longestGap = "longest_look_gap_ms"
    }

    /// True if nothing was lost.
    package var isClean: Bool {
        recovered == kills && lostAcknowledgedCookies == 0 && staleState == 0 && zombies == 0 && processesLeft == 0
    }
}
