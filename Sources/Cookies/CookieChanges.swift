// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What turns one set of cookies into another: the cookies to set, and the ones to delete.
package struct CookieChanges: Hashable, Sendable, Codable {
    /// New cookies, and known ones of which anything but the identity changed; in the order of the new set.
    package var set: [Cookie]
    /// In the order of the old set.
    package var deleted: [Cookie.Identity]

    package var isEmpty: Bool { self.set.isEmpty && deleted.isEmpty }

    package init(set: [Cookie] = [], deleted: [Cookie.Identity] = []) {
        self.set = set
        self.deleted = deleted
    }

    /// The changes from `old` to `new`. Of several cookies of one identity the last counts.
    package static func between(old: [Cookie], new: [Cookie]) -> CookieChanges {
        let before = lastOfEach(old)
        let after = lastOfEach(new)
        let (known, wanted) = (index(before), index(after))
        return CookieChanges(
            set: after.filter { known[$0.identity] != $0 },
            deleted: before.map(\.identity).filter { wanted[$0] == nil })
    }

    /// `cookies` with the changes made: a cookie that is replaced keeps its place, new ones come last.
    package func applied(to cookies: [Cookie]) -> [Cookie] {
        let gone = Set(deleted)
        var result = Self.lastOfEach(cookies).filter { !gone.contains($0.identity) }
        var places: [Cookie.Identity: Int] = [:]
        for (place, cookie) in result.enumerated() { places[cookie.identity] = place }
        for cookie in set {
            if let place = places[cookie.identity] {
                result[place] = cookie
            } else {
                places[cookie.identity] = result.count
                result.append(cookie)
            }
        }
        return result
    }

    /// These changes with `later` made after them.
    package func followed(by later: CookieChanges) -> CookieChanges {
        let gone = Set(later.deleted)
        let setAgain = Set(later.set.map(\.identity))
        var combined = CookieChanges(
            set: set.filter { !gone.contains($0.identity) }, deleted: deleted.filter { !gone.contains($0) })
        combined.set = CookieChanges(set: later.set).applied(to: combined.set)
        combined.deleted = combined.deleted.filter { !setAgain.contains($0) } + later.deleted
        return combined
    }

    private static func lastOfEach(_ cookies: [Cookie]) -> [Cookie] {
        var seen: Set<Cookie.Identity> = []
        return Array(cookies.reversed().filter { seen.insert($0.identity).inserted }.reversed())
    }

    private static func index(_ cookies: [Cookie]) -> [Cookie.Identity: Cookie] {
        Dictionary(cookies.map { ($0.identity, $0) }, uniquingKeysWith: { $1 })
    }
}
