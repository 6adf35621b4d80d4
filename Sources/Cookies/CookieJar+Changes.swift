// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// One cookie's newest state, or its deletion, with the time that decides between copies of a jar.
package struct CookieUpdate: Equatable, Sendable, Codable {
    package var identity: Cookie.Identity
    /// Nil if it was deleted.
    package var cookie: Cookie?
    package var created: WallTime
    package var updated: WallTime
}

extension CookieJar {
    /// Makes changes that are known to be right, as from a snapshot or a renderer: nothing is judged but the expiry.
    package mutating func apply(_ changes: CookieChanges, now: WallTime) {
        for identity in changes.deleted {
            remove(identity)
            bury(identity, at: now)
        }
        for cookie in changes.set {
            let old = remove(cookie.identity)
            let new = makeRecord(cookie, created: old?.created ?? now, order: old?.order, now: now)
            if new.isExpired(at: now) {
                bury(cookie.identity, at: now)
            } else {
                insert(new)
                evict(for: new.site, now: now)
            }
        }
    }

    /// What turns one set of cookies into another.
    package static func diff(old: [Cookie], new: [Cookie]) -> CookieChanges { .between(old: old, new: new) }

    /// All that this jar knows, deletions too, for `merge` in another copy; oldest first.
    package var updates: [CookieUpdate] {
        let alive = buckets.values.joined().sorted(by: CookieRecord.isOlder).map { record in
            CookieUpdate(
                identity: record.cookie.identity, cookie: record.cookie, created: record.created,
                updated: record.updated)
        }
        let dead = tombstones.map { CookieUpdate(identity: $0.key, cookie: nil, created: $0.value, updated: $0.value) }
        return alive + dead.sorted { $0.updated < $1.updated }
    }

    /// Takes over what is newer than one's own; at equal times the other's counts.
    package mutating func merge(_ updates: [CookieUpdate], now: WallTime) {
        for update in updates {
            let own = record(update.identity)
            let known = max(own?.updated ?? update.updated, tombstones[update.identity] ?? update.updated)
            guard update.updated >= known else { continue }
            remove(update.identity)
            guard let cookie = update.cookie else {
                bury(update.identity, at: update.updated)
                continue
            }
            var new = makeRecord(cookie, created: update.created, order: own?.order, now: update.updated)
            new.lastAccess = max(own?.lastAccess ?? update.updated, update.updated)
            guard !new.isExpired(at: now) else { continue }
            insert(new)
            evict(for: new.site, now: now)
        }
    }
}
