// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

extension CookieJar {
    /// The cookies that go to `url`, in the order of the header. Expired ones met on the way are removed.
    package mutating func cookies(
        for url: RequestURL, context: CookieContext = CookieContext(), now: WallTime
    ) -> [Cookie] {
        guard url.hasCookies else { return [] }
        let site = context.topLevelSite ?? url.site(suffixes)
        var found: [CookieRecord] = []
        for domain in Self.domains(of: url.host) {
            guard let bucket = buckets[domain] else { continue }
            for record in bucket where record.isExpired(at: now) { remove(record.cookie.identity) }
            for (index, record) in (buckets[domain] ?? []).enumerated()
            where Self.goes(record.cookie, to: url, context, site: site) {
                buckets[domain]?[index].lastAccess = now
                found.append(record)
            }
        }
        return found.sorted(by: CookieRecord.goesBefore).map(\.cookie)
    }

    /// The value of the `Cookie` header for `url`, as it goes on the wire; empty if there is none to send.
    package mutating func headerBytes(
        for url: RequestURL, context: CookieContext = CookieContext(), now: WallTime
    ) -> [UInt8] {
        let pairs = cookies(for: url, context: context, now: now).map { cookie in
            cookie.name.isEmpty ? cookie.valueBytes : cookie.nameBytes + [UInt8(ascii: "=")] + cookie.valueBytes
        }
        return Array(pairs.joined(separator: Array("; ".utf8)))
    }

    /// `headerBytes` for reading: bytes that are not UTF-8 are replaced.
    package mutating func header(
        for url: RequestURL, context: CookieContext = CookieContext(), now: WallTime
    ) -> String {
        String(decoding: headerBytes(for: url, context: context, now: now), as: UTF8.self)
    }

    /// Everything that is not expired, oldest first.
    package mutating func all(now: WallTime) -> [Cookie] {
        removeExpired(now: now)
        return buckets.values.joined().sorted(by: CookieRecord.isOlder).map(\.cookie)
    }

    /// The host and every name above it, down to the last label.
    private static func domains(of host: String) -> [String] {
        guard !HostName.isAddress(host) else { return [host] }
        var domains = [host]
        for (index, byte) in zip(host.utf8.indices, host.utf8) where byte == UInt8(ascii: ".") {
            let parent = host[host.utf8.index(after: index)...]
            if !parent.isEmpty { domains.append(String(parent)) }
        }
        return domains
    }

    private static func goes(_ cookie: Cookie, to url: RequestURL, _ context: CookieContext, site: String) -> Bool {
        guard !cookie.isHostOnly || sameBytes(cookie.domain, url.host) else { return false }
        guard RequestURL.matches(path: url.path, cookiePath: cookie.path) else { return false }
        if cookie.isSecure, !url.isSecure { return false }
        if cookie.isHTTPOnly, context.isScript { return false }
        if let key = cookie.partitionKey, !sameBytes(key, site) { return false }
        guard !context.isSameSite else { return true }
        switch cookie.sameSite {
        case .none: return true
        case .strict: return false
        case .lax, .unspecified:
            return context.isTopLevelNavigation && context.hasSafeMethod && !context.isScript
        }
    }
}
