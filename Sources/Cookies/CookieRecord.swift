// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// A cookie with what a jar knows beside it.
struct CookieRecord: Equatable, Sendable {
    var cookie: Cookie
    /// When this identity was first set; it decides the order in the header.
    var created: WallTime
    /// Breaks ties of `created`: one response may set many cookies.
    var order: UInt64
    /// Which of several copies of a jar is newest.
    var updated: WallTime
    var lastAccess: WallTime
    /// The registrable domain, for the limit on what one owner may store.
    var site: String

    func isExpired(at now: WallTime) -> Bool {
        cookie.expires.map { WallTime(seconds: $0) <= now } ?? false
    }

    /// Longer paths first, then the older cookie.
    static func goesBefore(_ a: CookieRecord, _ b: CookieRecord) -> Bool {
        let (lengthA, lengthB) = (a.cookie.path.utf8.count, b.cookie.path.utf8.count)
        return lengthA != lengthB ? lengthA > lengthB : isOlder(a, b)
    }

    static func isOlder(_ a: CookieRecord, _ b: CookieRecord) -> Bool {
        (a.created, a.order) < (b.created, b.order)
    }
}
