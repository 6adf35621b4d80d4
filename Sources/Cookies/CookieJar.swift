// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The cookies of one data store, by the rules of RFC 6265bis. A value: no clock, no file, no lock.
package struct CookieJar: Sendable {
    package struct Limits: Equatable, Sendable {
        /// For one registrable domain and all below it.
        package var perSite = 180
        package var total = 3000

        package init(perSite: Int = 180, total: Int = 3000) {
            self.perSite = perSite
            self.total = total
        }
    }

    package let suffixes: any PublicSuffixList
    package let limits: Limits
    /// By the cookie's domain. A bucket is small: `limits` says how small.
    var buckets: [String: [CookieRecord]] = [:]
    /// How many cookies each registrable domain has.
    var siteCounts: [String: Int] = [:]
    /// What was deleted and when, for merging copies.
    var tombstones: [Cookie.Identity: WallTime] = [:]
    package private(set) var count = 0
    private var nextOrder: UInt64 = 0

    package init(suffixes: any PublicSuffixList = BuiltinPublicSuffixList(), limits: Limits = Limits()) {
        self.suffixes = suffixes
        self.limits = limits
    }

    /// Takes one `Set-Cookie` field value of a response from `url`, or one string that a script wrote.
    package mutating func store(
        _ setCookie: [UInt8], from url: RequestURL, context: CookieContext = CookieContext(), now: WallTime
    ) -> StoreOutcome {
        guard let parsed = SetCookie.parse(setCookie) else { return .refused(.unreadable) }
        let judge = CookieJudge(url: url, context: context, suffixes: suffixes, now: now)
        do throws(RefusedCookie) {
            let cookie = try judge.judge(parsed)
            return try put(cookie, isTrusted: url.isSecure, isScript: context.isScript, now: now)
        } catch {
            return .refused(error.reason)
        }
    }

    private mutating func put(
        _ cookie: Cookie, isTrusted: Bool, isScript: Bool, now: WallTime
    ) throws(RefusedCookie) -> StoreOutcome {
        if !cookie.isSecure, !isTrusted, hidesSecure(cookie, now: now) { throw RefusedCookie(.overlaysSecure) }
        let old = record(cookie.identity).flatMap { $0.isExpired(at: now) ? nil : $0 }
        if isScript, old?.cookie.isHTTPOnly == true { throw RefusedCookie(.overwritesHTTPOnly) }
        remove(cookie.identity)
        let new = makeRecord(cookie, created: old?.created ?? now, order: old?.order, now: now)
        if new.isExpired(at: now) {
            bury(cookie.identity, at: now)
            return .deleted(cookie.identity)
        }
        insert(new)
        evict(for: new.site, now: now)
        return .stored(cookie, replaced: old?.cookie)
    }

    /// R23 of the design: on an insecure connection nothing may stand in front of a Secure cookie of the same name.
    private func hidesSecure(_ cookie: Cookie, now: WallTime) -> Bool {
        for (domain, bucket) in buckets
        where HostName.matches(host: domain, domain: cookie.domain)
            || HostName.matches(host: cookie.domain, domain: domain)
        {
            for record in bucket
            where record.cookie.isSecure && sameBytes(record.cookie.name, cookie.name) && !record.isExpired(at: now)
                && RequestURL.matches(path: cookie.path, cookiePath: record.cookie.path)
            {
                return true
            }
        }
        return false
    }

    mutating func makeRecord(
        _ cookie: Cookie, created: WallTime, order: UInt64? = nil, now: WallTime
    ) -> CookieRecord {
        nextOrder += 1
        return CookieRecord(
            cookie: cookie, created: created, order: order ?? nextOrder, updated: now, lastAccess: now,
            site: suffixes.registrableDomain(of: cookie.domain) ?? cookie.domain)
    }

    func record(_ identity: Cookie.Identity) -> CookieRecord? {
        buckets[identity.domain]?.first { $0.cookie.identity == identity }
    }

    /// The caller has removed the record of the same identity before.
    mutating func insert(_ record: CookieRecord) {
        buckets[record.cookie.domain, default: []].append(record)
        siteCounts[record.site, default: 0] += 1
        count += 1
        tombstones[record.cookie.identity] = nil
    }

    @discardableResult
    mutating func remove(_ identity: Cookie.Identity) -> CookieRecord? {
        guard let index = buckets[identity.domain]?.firstIndex(where: { $0.cookie.identity == identity }) else {
            return nil
        }
        let record = buckets[identity.domain]?.remove(at: index)
        count -= 1
        if buckets[identity.domain]?.isEmpty == true { buckets[identity.domain] = nil }
        if let site = record?.site {
            let left = (siteCounts[site] ?? 1) - 1
            siteCounts[site] = left > 0 ? left : nil
        }
        return record
    }
}
