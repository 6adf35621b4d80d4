// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Cookies

@Suite struct CookieChangesTests {
    @Test func aDifferenceNamesWhatIsNewChangedAndGone() {
        let a = Cookie(name: "a", value: "1", domain: "a.test")
        var b = Cookie(name: "b", value: "1", domain: "a.test")
        let c = Cookie(name: "c", value: "1", domain: "a.test")
        let old = [a, b]
        b.isHTTPOnly = true
        let changes = CookieChanges.between(old: old, new: [b, c])
        #expect(changes == CookieChanges(set: [b, c], deleted: [a.identity]))
        #expect(changes.applied(to: old) == [b, c])
        #expect(CookieChanges.between(old: old, new: old).isEmpty)
    }

    @Test func emptyListsAreAllOrNothing() {
        let cookies = [Cookie(name: "a", value: "1", domain: "a.test")]
        #expect(CookieChanges.between(old: [], new: cookies).applied(to: []) == cookies)
        #expect(CookieChanges.between(old: cookies, new: []).applied(to: cookies) == [])
    }

    /// Few names, so that every kind of meeting happens.
    private func someCookies(_ random: inout SeededGenerator) -> [Cookie] {
        (0..<Int.random(in: 0...8, using: &random)).map { _ in
            Cookie(
                name: ["a", "b"].randomElement(using: &random) ?? "", value: "\(Int.random(in: 0...2, using: &random))",
                domain: ["x.test", "y.test"].randomElement(using: &random) ?? "",
                isHostOnly: Bool.random(using: &random), path: ["/", "/p"].randomElement(using: &random) ?? "")
        }
    }

    private func lastOfEach(_ cookies: [Cookie]) -> Set<Cookie> {
        Set(Dictionary(cookies.map { ($0.identity, $0) }, uniquingKeysWith: { $1 }).values)
    }

    @Test(arguments: 1...10) func differencesLeadFromOldToNew(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let (first, second, third) = (someCookies(&random), someCookies(&random), someCookies(&random))
            let one = CookieChanges.between(old: first, new: second)
            let two = CookieChanges.between(old: second, new: third)
            #expect(Set(one.applied(to: first)) == lastOfEach(second))
            #expect(one.applied(to: first).count == lastOfEach(second).count)
            #expect(Set(one.followed(by: two).applied(to: first)) == lastOfEach(third))
            #expect(CookieChanges.between(old: first, new: first).isEmpty)
            var jar = CookieJar(suffixes: Vectors.suffixes)
            let now = WallTime(seconds: 0)
            jar.apply(CookieChanges(set: first), now: now)
            jar.apply(one, now: now)
            #expect(Set(jar.all(now: now)) == lastOfEach(second))
        }
    }
}

/// SplitMix64: the same sequence on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
