// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What differs between two states of a cookie store.
package struct CookieChanges: Sendable, Equatable, Codable {
    /// New cookies, and cookies of which anything changed.
    package var set: [Cookie]
    package var deleted: [Cookie.Identity]

    package init(set: [Cookie] = [], deleted: [Cookie.Identity] = []) {
        self.set = set
        self.deleted = deleted
    }

    package var isEmpty: Bool { self.set.isEmpty && deleted.isEmpty }

    /// What turns `old` into `new`. If a list names one identity twice, its last cookie counts.
    package static func between(old: [Cookie], new: [Cookie]) -> CookieChanges {
        let before = Dictionary(old.map { ($0.identity, $0) }, uniquingKeysWith: { $1 })
        let after = Dictionary(new.map { ($0.identity, $0) }, uniquingKeysWith: { $1 })
        var changes = CookieChanges()
        var seen: Set<Cookie.Identity> = []
        for identity in new.map(\.identity) where seen.insert(identity).inserted {
            if let cookie = after[identity], before[identity] != cookie { changes.set.append(cookie) }
        }
        seen = []
        changes.deleted = old.map(\.identity).filter { after[$0] == nil && seen.insert($0).inserted }
        return changes
    }

    /// `cookies` with these changes made, in a stable order: what stays, then what is new.
    package func applied(to cookies: [Cookie]) -> [Cookie] {
        var updates = Dictionary(set.map { ($0.identity, $0) }, uniquingKeysWith: { $1 })
        let gone = Set(deleted)
        var result: [Cookie] = []
        for cookie in cookies {
            if let update = updates.removeValue(forKey: cookie.identity) {
                result.append(update)
            } else if !gone.contains(cookie.identity) {
                result.append(cookie)
            }
        }
        for cookie in set {
            if let update = updates.removeValue(forKey: cookie.identity) { result.append(update) }
        }
        return result
    }
}
