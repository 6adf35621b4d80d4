// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// The clock of every measurement here: CLOCK_MONOTONIC, which no one sets.
package enum MonotonicClock {
    /// Microseconds since some fixed point; comparable between the processes of one machine.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }

    /// What to add to a time in microseconds since 1970 to get one of this clock, as of now.
    package static var offsetFromRealtime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(now) - (Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Blocks the calling thread; never the supervisor's or a page's.
    package static func sleep(microseconds: UInt64) {
        var time = timespec(tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000) * 1000)
        var rest = timespec()
        while nanosleep(&time, &rest) != 0 && errno == EINTR { time = rest }
    }

    /// Asks `predicate` every `interval` microseconds until it gives a value or `timeout` microseconds have passed.
    package static func poll<T>(
        timeout: UInt64, interval: UInt64 = 5000, _ predicate: () throws -> T?
    ) rethrows -> T? {
        let deadline = now + timeout
        while true {
            if let value = try predicate() { return value }
            if now >= deadline { return nil }
            sleep(microseconds: interval)
        }
    }
}
