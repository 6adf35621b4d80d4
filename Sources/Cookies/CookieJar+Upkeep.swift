// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

extension CookieJar {
    /// How many deletions a jar remembers for merging.
    static let maximumTombstones = 1000

    package mutating func removeExpired(now: WallTime) {
        for record in Array(buckets.values.joined()) where record.isExpired(at: now) { remove(record.cookie.identity) }
    }

    /// What the end of a session means: cookies without an expiry go.
    package mutating func removeSessionCookies(now: WallTime) {
        for record in Array(buckets.values.joined()) where record.cookie.expires == nil {
            remove(record.cookie.identity)
            bury(record.cookie.identity, at: now)
        }
    }

    /// Makes room after `site` got one more: what is expired goes first, then of a site over its limit the insecure
    /// ones, then any of it, then any at all; within each the one that was not used for longest.
    mutating func evict(for site: String, now: WallTime) {
        guard count > limits.total || (siteCounts[site] ?? 0) > limits.perSite else { return }
        removeExpired(now: now)
        while (siteCounts[site] ?? 0) > limits.perSite {
            let own = buckets.values.joined().filter { $0.site == site }
            guard let victim = Self.leastUsed(own.filter { !$0.cookie.isSecure }) ?? Self.leastUsed(own) else { break }
            discard(victim, now: now)
        }
        while count > limits.total, let victim = Self.leastUsed(Array(buckets.values.joined())) {
            discard(victim, now: now)
        }
    }

    private static func leastUsed(_ records: [CookieRecord]) -> CookieRecord? {
        records.min { ($0.lastAccess, $0.created, $0.order) < ($1.lastAccess, $1.created, $1.order) }
    }

    private mutating func discard(_ record: CookieRecord, now: WallTime) {
        remove(record.cookie.identity)
        bury(record.cookie.identity, at: now)
    }

    /// Remembers a deletion. The oldest are forgotten when there are too many.
    mutating func bury(_ identity: Cookie.Identity, at time: WallTime) {
        tombstones[identity] = time
        guard tombstones.count > Self.maximumTombstones else { return }
        let newest = tombstones.sorted { $0.value > $1.value }.prefix(Self.maximumTombstones / 2)
        tombstones = Dictionary(newest.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }
}
