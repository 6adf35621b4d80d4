// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Cookies

/// What the public suites leave out.
@Suite struct CookieJarTests {
    private let now = WallTime(seconds: 1_700_000_000)

    private func url(_ text: String) throws -> RequestURL { try #require(RequestURL(text)) }

    private func outcome(
        _ field: String, _ address: String = "https://a.test/", _ context: CookieContext = CookieContext()
    ) throws -> StoreOutcome {
        var jar = CookieJar(suffixes: Vectors.suffixes)
        return jar.store(Array(field.utf8), from: try url(address), context: context, now: now)
    }

    @Test(arguments: [
        ("a=1; Partitioned", StoreOutcome.Refusal.partitionedInsecure), ("a\u{1}=1", .unreadable),
        ("; Secure", .unreadable),
        ("a=1; Domain=b.test", .foreignDomain), ("a=1; Domain=test", .publicSuffix),
        ("a=1; Domain=ä.test", .nonASCIIDomain), ("a=1; SameSite=None", .sameSiteNoneInsecure),
        ("__Host-Http-a=1; Secure; Path=/", .prefix), ("__Http-a=1; HttpOnly", .prefix), ("__HTTP-a", .prefix),
        ("__Host-a=1; Secure; Path=", .prefix), ("__Host-a=1; Secure; Path=/; Path=x", .prefix),
    ]) func refusalsSayWhy(field: String, reason: StoreOutcome.Refusal) throws {
        #expect(try outcome(field) == .refused(reason))
    }

    @Test func refusalsDependOnTheRequest() throws {
        #expect(try outcome("a=1", "ftp://a.test/") == .refused(.noCookieScheme))
        #expect(try outcome("a=1; Secure", "http://a.test/") == .refused(.secureOverInsecure))
        #expect(
            try outcome("a=1; HttpOnly", "http://a.test/", CookieContext(isScript: true))
                == .refused(.httpOnlyFromScript))
        let cross = CookieContext(isSameSite: false)
        #expect(try outcome("a=1", "https://a.test/", cross) == .refused(.crossSite))
        #expect(try !outcome("a=1; SameSite=None; Secure", "https://a.test/", cross).isRefused)
        let navigation = CookieContext(isSameSite: false, isTopLevelNavigation: true)
        #expect(try !outcome("a=1; SameSite=Strict", "https://a.test/", navigation).isRefused)
    }

    @Test func loopbackCountsAsSecure() throws {
        for address in [
            "http://localhost:8080/", "http://x.localhost/", "http://127.0.0.1/", "http://[::1]:80/", "ws://localhost/",
        ] {
            #expect(try !outcome("a=1; Secure", address).isRefused, "\(address)")
        }
        for address in ["http://localhost.test/", "http://127.0.0.1.test/", "http://128.0.0.1/"] {
            #expect(try outcome("a=1; Secure", address).isRefused, "\(address)")
        }
    }

    @Test func everyAttributeOfAnOverwriteCounts() throws {
        var jar = CookieJar(suffixes: Vectors.suffixes)
        let a = try url("https://a.test/")
        _ = jar.store(Array("a=1; Secure; HttpOnly; SameSite=Strict; Max-Age=100".utf8), from: a, now: now)
        let old = jar.all(now: now).first
        let outcome = jar.store(Array("a=1".utf8), from: a, now: now)
        #expect(outcome == .stored(Cookie(name: "a", value: "1", domain: "a.test"), replaced: old))
        #expect(jar.all(now: now) == [Cookie(name: "a", value: "1", domain: "a.test")])
    }

    @Test func deletionsAreReportedEvenForWhatWasNotThere() throws {
        let identity = Cookie.Identity(name: "a", domain: "a.test", isHostOnly: true, path: "/")
        #expect(try outcome("a=1; Max-Age=0") == .deleted(identity))
        #expect(try outcome("a=1; Max-Age=-5; Expires=Fri, 01 Jan 2100 00:00:00 GMT") == .deleted(identity))
    }

    @Test func aSiteOverItsLimitLosesInsecureThenUnusedCookies() throws {
        var jar = CookieJar(suffixes: Vectors.suffixes, limits: .init(perSite: 3, total: 5))
        func set(_ field: String, _ address: String, _ second: Int64) throws {
            let time = WallTime(seconds: now.seconds + second)
            #expect(try !jar.store(Array(field.utf8), from: url(address), now: time).isRefused)
        }
        func names(_ second: Int64) -> String {
            jar.all(now: WallTime(seconds: now.seconds + second)).map(\.name).joined()
        }
        try set("a=1; Secure", "https://x.a.test/", 0)
        try set("b=1", "https://y.a.test/", 1)
        try set("c=1; Secure", "https://a.test/", 2)
        try set("d=1; Secure", "https://a.test/", 3)
        #expect(names(3) == "acd")
        // Using "a" makes "c" the one that was unused for longest.
        #expect(jar.header(for: try url("https://x.a.test/"), now: WallTime(seconds: now.seconds + 4)) == "a=1")
        try set("e=1; Secure", "https://a.test/", 5)
        #expect(names(5) == "ade")
        try set("f=1; Max-Age=1", "https://f.test/", 6)
        try set("g=1", "https://g.test/", 6)
        // "f" has expired when room is needed.
        try set("h=1", "https://h.test/", 8)
        #expect(names(8) == "adegh")
        try set("i=1", "https://i.test/", 9)
        #expect(names(9) == "aeghi")
        #expect(jar.count == 5)
    }

    @Test func theEndOfASessionTakesSessionCookies() throws {
        var jar = CookieJar(suffixes: Vectors.suffixes)
        _ = jar.store(Array("a=1".utf8), from: try url("https://a.test/"), now: now)
        _ = jar.store(Array("b=1; Max-Age=9".utf8), from: try url("https://a.test/"), now: now)
        jar.removeSessionCookies(now: now)
        #expect(jar.all(now: now).map(\.name) == ["b"])
    }

    @Test func canonicallyEquivalentNamesAreTwoCookies() throws {
        var jar = CookieJar(suffixes: Vectors.suffixes)
        let a = try url("https://a.test/")
        _ = jar.store(Array("\u{E9}=1".utf8), from: a, now: now)
        _ = jar.store(Array("e\u{301}=2".utf8), from: a, now: now)
        #expect(jar.count == 2)
        let composed = Cookie(name: "a", value: "\u{E9}", domain: "a.test")
        let decomposed = Cookie(name: "a", value: "e\u{301}", domain: "a.test")
        #expect(CookieChanges.between(old: [composed], new: [decomposed]).set == [decomposed])
    }

    @Test func aPartitionIsPartOfTheIdentity() throws {
        var jar = CookieJar(suffixes: Vectors.suffixes)
        let a = try url("https://a.test/")
        let own = CookieContext()
        let framed = CookieContext(isSameSite: false, topLevelSite: "https://b.test")
        for context in [own, framed] {
            _ = jar.store(Array("a=1; Secure; SameSite=None; Partitioned".utf8), from: a, context: context, now: now)
        }
        _ = jar.store(Array("a=2; Secure; SameSite=None".utf8), from: a, context: framed, now: now)
        #expect(jar.all(now: now).map(\.partitionKey) == ["https://a.test", "https://b.test", nil])
        #expect(jar.header(for: a, context: framed, now: now) == "a=1; a=2")
    }

    @Test func hostsWithADotAtTheEndAreNoWayRoundTheSuffixList() throws {
        #expect(try outcome("a=1; Domain=com.", "https://a.com./") == .refused(.publicSuffix))
        #expect(try !outcome("a=1; Domain=a.com.", "https://x.a.com./").isRefused)
    }
}
