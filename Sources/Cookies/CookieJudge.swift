// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Decides whether a parsed cookie may be stored at all, and as what: RFC 6265bis, section 5.7, up to step 22.
struct CookieJudge {
    var url: RequestURL
    var context: CookieContext
    var suffixes: any PublicSuffixList
    var now: WallTime

    /// The longest life a server can give a cookie: 400 days, in seconds.
    static let maximumLifetime: Int64 = 400 * 86400

    func judge(_ parsed: ParsedSetCookie) throws(RefusedCookie) -> Cookie {
        guard url.hasCookies else { throw RefusedCookie(.noCookieScheme) }
        let (domain, isHostOnly) = try domain(parsed.domain)
        let path = parsed.path.flatMap { $0.first == UInt8(ascii: "/") ? ByteText.string($0) : nil }
        let cookie = Cookie(
            name: ByteText.string(parsed.name), value: ByteText.string(parsed.value), domain: domain,
            isHostOnly: isHostOnly, path: path ?? url.defaultPath, expires: expiry(parsed), isSecure: parsed.isSecure,
            isHTTPOnly: parsed.isHTTPOnly, sameSite: parsed.sameSite,
            partitionKey: parsed.isPartitioned ? context.topLevelSite ?? url.site(suffixes) : nil)
        if parsed.isSecure, !url.isSecure { throw RefusedCookie(.secureOverInsecure) }
        if parsed.isHTTPOnly, context.isScript { throw RefusedCookie(.httpOnlyFromScript) }
        if parsed.sameSite == .none {
            if !parsed.isSecure { throw RefusedCookie(.sameSiteNoneInsecure) }
        } else if !context.isSameSite, context.isScript || !context.isTopLevelNavigation {
            throw RefusedCookie(.crossSite)
        }
        if parsed.isPartitioned, !parsed.isSecure { throw RefusedCookie(.partitionedInsecure) }
        guard cookie.keepsItsPrefix(hasRootPath: path == "/") else { throw RefusedCookie(.prefix) }
        return cookie
    }

    private func domain(_ attribute: [UInt8]?) throws(RefusedCookie) -> (String, isHostOnly: Bool) {
        guard let attribute, !attribute.isEmpty else { return (url.host, true) }
        guard attribute.allSatisfy({ $0 < 0x80 }) else { throw RefusedCookie(.nonASCIIDomain) }
        let domain = String(decoding: attribute, as: UTF8.self)
        guard HostName.matches(host: url.host, domain: domain) else { throw RefusedCookie(.foreignDomain) }
        if HostName.isAddress(url.host) { return (domain, false) }
        if suffixes.isPublicSuffix(domain) {
            guard sameBytes(domain, url.host) else { throw RefusedCookie(.publicSuffix) }
            return (domain, true)
        }
        guard suffixes.isAcceptable(domain: domain, for: url.host) else { throw RefusedCookie(.publicSuffix) }
        return (domain, false)
    }

    /// Nil for a session cookie.
    private func expiry(_ parsed: ParsedSetCookie) -> Int64? {
        let limit = now.seconds + Self.maximumLifetime
        if let age = parsed.maxAge {
            if age <= 0 { return .min }
            // Rounded up to whole seconds: never shorter than asked for.
            let start = now.seconds + (now.milliseconds % 1000 == 0 ? 0 : 1)
            return min(start + min(age, Self.maximumLifetime), limit)
        }
        return parsed.expires.map { min($0, limit) }
    }
}

/// Carries the reason out of `CookieJudge`.
struct RefusedCookie: Error {
    var reason: StoreOutcome.Refusal

    init(_ reason: StoreOutcome.Refusal) { self.reason = reason }
}
