// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Foundation
import Testing

@testable import Cookies

/// Any bytes from any server: nothing traps, and what is stored keeps the rules.
@Suite struct RandomCookieTests {
    private static let pieces = [
        "a", "=", ";", "; ", "__Host-", "__Secure-", "__Http-", "Domain=", "Path=", "/", ".", "..", "Secure",
        "HttpOnly",
        "SameSite=", "None", "Lax", "Partitioned", "Max-Age=", "-", "1", "99999999999999999999", "Expires=",
        "Fri, 01 Jan 2100 00:00:00 GMT", "a.test", "co.uk", ".test", "\t", " ", "é", "e\u{301}", "\u{EF80}", "\0",
        "\r\n",
    ]
    private static let addresses = [
        "http://a.test/", "https://x.a.test/p/q", "https://co.uk/", "http://[::1]/", "http://127.0.0.1/p",
        "wss://a.test./", "https://bücher.test/é", "https://a.test/p?q#f", "http://localhost/",
    ]

    private func bytes(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...24, using: &random) {
            if Int.random(in: 0..<6, using: &random) == 0 {
                bytes.append(UInt8.random(in: 0...255, using: &random))
            } else {
                bytes += Array((Self.pieces.randomElement(using: &random) ?? "").utf8)
            }
        }
        return bytes
    }

    @Test(arguments: 1...8) func whatIsStoredKeepsTheRules(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limits = CookieJar.Limits(perSite: 6, total: 12)
        var jar = CookieJar(suffixes: Vectors.suffixes, limits: limits)
        var now = WallTime(seconds: 1_700_000_000)
        for _ in 0..<400 {
            now = WallTime(milliseconds: now.milliseconds + Int64.random(in: 0...2000, using: &random))
            let url = try #require(RequestURL(Self.addresses.randomElement(using: &random) ?? ""))
            let context = CookieContext(
                isSameSite: Bool.random(using: &random), isTopLevelNavigation: Bool.random(using: &random),
                isScript: Bool.random(using: &random))
            let before = jar.all(now: now)
            let outcome = jar.store(bytes(&random), from: url, context: context, now: now)
            let after = jar.all(now: now)
            switch outcome {
            case .refused: #expect(before == after)
            case .deleted(let identity): #expect(after == before.filter { $0.identity != identity })
            case .stored(let cookie, let replaced):
                #expect(after.contains(cookie))
                #expect(before.first { $0.identity == cookie.identity } == replaced)
                check(cookie, from: url, context, now)
            }
            #expect(after.count == jar.count)
            #expect(jar.count <= limits.total)
            #expect(Set(after.map(\.identity)).count == after.count)
            try checkRequest(&jar, url, context, now)
        }
    }

    private func check(_ cookie: Cookie, from url: RequestURL, _ context: CookieContext, _ now: WallTime) {
        #expect(HostName.matches(host: url.host, domain: cookie.domain))
        #expect(cookie.isHostOnly || !Vectors.suffixes.isPublicSuffix(cookie.domain) || HostName.isAddress(url.host))
        #expect(cookie.path.hasPrefix("/"))
        #expect(!cookie.isSecure || url.isSecure)
        #expect(!cookie.isHTTPOnly || !context.isScript)
        #expect(cookie.expires.map { $0 > now.seconds && $0 <= now.seconds + CookieJudge.maximumLifetime } ?? true)
        #expect((cookie.nameBytes + cookie.valueBytes).allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
    }

    /// Script access never shows more than a request does, and never an HttpOnly cookie.
    private func checkRequest(
        _ jar: inout CookieJar, _ url: RequestURL, _ context: CookieContext, _ now: WallTime
    ) throws {
        var script = context
        script.isScript = true
        var http = context
        http.isScript = false
        let visible = jar.cookies(for: url, context: script, now: now)
        let sent = jar.cookies(for: url, context: http, now: now)
        #expect(visible.allSatisfy { !$0.isHTTPOnly })
        #expect(Set(visible).isSubset(of: sent))
        #expect(sent.map { $0.path.utf8.count } == sent.map { $0.path.utf8.count }.sorted(by: >))
    }

    @Test(arguments: 1...10) func bytesComeBackFromText(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = bytes(&random)
            let text = ByteText.string(bytes)
            #expect(ByteText.bytes(text) == bytes)
            let coded = try JSONDecoder().decode([String].self, from: JSONEncoder().encode([text]))
            #expect(coded.map { Array($0.utf8) } == [Array(text.utf8)])
            if let plain = String(validating: bytes, as: UTF8.self), !plain.contains("\u{EF80}") {
                #expect(text == plain)
            }
        }
    }

    @Test(arguments: 1...10) func anyTextIsReadWithoutHarm(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = bytes(&random)
            _ = CookieDate.parse(bytes)
            _ = NetscapeFormat.parse(bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            if let host = HostName.canonical(text) {
                #expect(host.utf8.allSatisfy { $0 < 0x80 })
                _ = BuiltinPublicSuffixList().registrableDomain(of: host)
                _ = Vectors.suffixes.registrableDomain(of: host)
            }
            if let url = RequestURL("https://" + text) { #expect(url.path.utf8.first == UInt8(ascii: "/")) }
        }
    }

    /// Export, clear, import, export: identical, and so are the headers.
    @Test(arguments: 1...10) func aJarComesBackFromItsCookies(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var jar = CookieJar(suffixes: Vectors.suffixes)
        let now = WallTime(seconds: 1_700_000_000)
        for number in 0..<200 {
            let url = try #require(RequestURL(Self.addresses.randomElement(using: &random) ?? ""))
            _ = jar.store(bytes(&random), from: url, now: WallTime(milliseconds: now.milliseconds + Int64(number)))
        }
        let later = WallTime(milliseconds: now.milliseconds + 300)
        let cookies = jar.all(now: later)
        #expect(!cookies.isEmpty)
        let decoded = try JSONDecoder().decode([Cookie].self, from: JSONEncoder().encode(cookies))
        var copy = CookieJar(suffixes: Vectors.suffixes)
        copy.apply(CookieChanges(set: decoded), now: later)
        #expect(copy.all(now: later) == cookies)
        for address in Self.addresses {
            let url = try #require(RequestURL(address))
            #expect(copy.headerBytes(for: url, now: later) == jar.headerBytes(for: url, now: later))
        }
    }
}
