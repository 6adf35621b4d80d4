// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Configuration
import Platform
import Supervision

/// Turns what a pool file says into what the machines need; `auto` follows the machine's memory.
enum Policies {
    /// What one content process, host process or curtain costs, in bytes; measured PSS with software rendering.
    private static let contentCost = 116 << 20
    private static let hostCost = 172 << 20

    static func policy(for pool: PoolSettings, memory: Int, generation: Int) -> PoolPolicy {
        let hasEngine = pool.renderer == .webkit
        // A spare is worth a sixteenth of the memory, a standby with its spare an eighth: 2 GiB has both.
        let affordsWarm = hasEngine && memory / 16 >= contentCost
        let affordsStandby = hasEngine && memory / 8 >= hostCost + contentCost - (64 << 20)
        return PoolPolicy(
            warmSlots: pool.warmSlots ?? (affordsWarm ? 1 : 0),
            keepsStandby: pool.standby ?? affordsStandby,
            hasCurtains: pool.curtain ?? hasEngine,
            heartbeatInterval: pool.heartbeatInterval ?? .seconds(pool.renderer == .builtin ? 60 : 5),
            heartbeatTimeout: pool.heartbeatTimeout,
            helloTimeout: pool.helloTimeout, recoveryTimeout: pool.recoveryTimeout, stopTimeout: pool.stopTimeout,
            backoff: Backoff(first: pool.restartBackoff, maximum: pool.restartBackoffMaximum),
            startLimitBurst: pool.startLimitBurst, startLimitInterval: pool.startLimitInterval,
            generation: generation)
    }

    /// Whether running hosts can go on under the new settings.
    static func needsNewHosts(_ old: PoolSettings, _ new: PoolSettings) -> Bool {
        old.renderer != new.renderer || old.display != new.display || old.geometry != new.geometry
            || old.environment != new.environment || old.dataDirectory != new.dataDirectory
    }

    /// MemTotal, in bytes; 0 if it cannot be read, which keeps no spares.
    static func machineMemory() -> Int {
        let text = (try? TextFile.read("/proc/meminfo", limit: 65536)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }
}
