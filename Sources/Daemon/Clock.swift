// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// Wall-clock time, for people; decisions use the event loop's monotonic clock.
enum WallClock {
    /// Microseconds since 1970.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(time.tv_sec, 0)) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
