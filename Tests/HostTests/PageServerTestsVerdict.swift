// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Bench
import Testing
import Wire

/// A storm is worth what its judge notices: for each promise, a log in which it is broken must be condemned.
@Suite struct VerdictTests {
    private static let form = FormValues(name: "a&b", notes: "é\n\"", agree: true, size: "large", colour: "red")
    private static let expected = ExpectedState(
        form: form, scroll: 1200, cookies: ["n": "7", "session": "s1"], addressMark: "in=1")
    private static let cookies = "session=s1; n=7"
    private static let killedAt: UInt64 = 10_000_000

    private static func report(
        at: UInt64, load: Int, ls: Int, ls0: Int = 0, scroll: Int = 1200, form: FormValues = form,
        cookies: String = cookies
    ) throws -> LoggedRequest {
        let json = FormCoding.encode(String(decoding: try JSON.encode(form), as: UTF8.self))
        return LoggedRequest(
            at: at, method: "GET",
            target:
                "/report?view=v&load=\(load)&scroll=\(scroll)&ls=\(ls)&idb=\(ls)&ls0=\(ls0)&idb0=\(ls0)&form=\(json)",
            cookieHeader: cookies)
    }

    /// Ten reports a second for three seconds before the kill, counting up to 100.
    private static func before() throws -> [LoggedRequest] {
        try (0..<30).map { try report(at: killedAt - UInt64(30 - $0) * 100_000, load: 1, ls: 71 + $0) }
    }

    private static func evidence(_ after: [LoggedRequest]) throws -> KillEvidence {
        KillEvidence(
            view: "v", killedAt: killedAt, closedAt: killedAt + 200_000, oldLoad: 1, requests: try before() + after)
    }

    private static func load(_ cookies: String = cookies, target: String = "/?view=v&in=1") -> LoggedRequest {
        LoggedRequest(at: killedAt + 50_000, method: "GET", target: target, cookieHeader: cookies, load: 2)
    }

    @Test func acquitsARecoveryThatLostNothing() throws {
        let evidence = try Self.evidence([
            Self.load(),
            LoggedRequest(
                at: Self.killedAt + 90_000, method: "GET", target: "/painted?view=v&load=2", cookieHeader: ""),
            try Self.report(at: Self.killedAt + 900_000, load: 2, ls: 100, ls0: 99, scroll: 1202),
        ])
        let verdict = KillVerdict(evidence, expected: Self.expected)
        #expect(verdict.isBack)
        #expect(verdict.lostCookies.isEmpty)
        #expect(verdict.stale.isEmpty)
        // 100 was first reported 100 ms before the kill and did not come back.
        #expect(verdict.lostLocalStorage == 100_000)
        #expect(verdict.lostIndexedDB == 100_000)
        #expect(evidence.beaconAt == Self.killedAt + 90_000)
    }

    @Test(arguments: [("session=s1; n=6", ["n"]), ("n=7", ["session"]), ("", ["n", "session"])])
    func noticesALostOrOldCookie(header: String, lost: [String]) throws {
        // That later requests carry it again is no excuse.
        let evidence = try Self.evidence([
            Self.load(header), try Self.report(at: Self.killedAt + 900_000, load: 2, ls: 100, ls0: 99),
        ])
        let verdict = KillVerdict(evidence, expected: Self.expected)
        #expect(verdict.lostCookies == lost)
        #expect(verdict.requestsWithoutCookies == 1)
    }

    @Test func noticesInputThatDidNotComeBack() throws {
        var other = Self.form
        other.agree = false
        let form = try Self.evidence([
            Self.load(), try Self.report(at: Self.killedAt + 900_000, load: 2, ls: 100, ls0: 99, form: other),
        ])
        #expect(KillVerdict(form, expected: Self.expected).stale.count == 1)
        let scroll = try Self.evidence([
            Self.load(), try Self.report(at: Self.killedAt + 900_000, load: 2, ls: 100, ls0: 99, scroll: 1203),
        ])
        #expect(KillVerdict(scroll, expected: Self.expected).stale.count == 1)
        let address = try Self.evidence([
            Self.load(target: "/?view=v"), try Self.report(at: Self.killedAt + 900_000, load: 2, ls: 100, ls0: 99),
        ])
        #expect(KillVerdict(address, expected: Self.expected).stale.count == 1)
    }

    @Test func noticesInputThatIsLostAfterTheEnd() throws {
        let evidence = try Self.evidence([
            Self.load(), try Self.report(at: Self.killedAt + 300_000, load: 2, ls: 100, ls0: 99),
            try Self.report(at: Self.killedAt + 900_000, load: 2, ls: 101, ls0: 99, scroll: 0),
        ])
        #expect(KillVerdict(evidence, expected: Self.expected).stale.count == 1)
    }

    @Test(arguments: [(90, true), (91, true), (89, false), (0, false)])
    func allowsCountersToLoseASecond(restored: Int, isAllowed: Bool) throws {
        let evidence = try Self.evidence([
            Self.load(), try Self.report(at: Self.killedAt + 900_000, load: 2, ls: restored + 1, ls0: restored),
        ])
        let verdict = KillVerdict(evidence, expected: Self.expected)
        #expect(verdict.stale.isEmpty == isAllowed)
        #expect(verdict.stale.count == (isAllowed ? 0 : 2))
    }

    @Test func noticesAPageThatDoesNotComeBack() throws {
        #expect(!KillVerdict(try Self.evidence([]), expected: Self.expected).isBack)
        // It was fetched, but never said anything.
        #expect(!KillVerdict(try Self.evidence([Self.load()]), expected: Self.expected).isBack)
        // The old page is dead: what it says late does not count for the new one.
        let late = [Self.load(), try Self.report(at: Self.killedAt + 900_000, load: 1, ls: 100)]
        #expect(!KillVerdict(try Self.evidence(late), expected: Self.expected).isBack)
    }

    @Test func judgesAPageThatGoesOnWithoutANewLoadByItsNextRequest() throws {
        let during = try Self.report(at: Self.killedAt + 100_000, load: 1, ls: 101, cookies: "")
        let good = try Self.report(at: Self.killedAt + 900_000, load: 1, ls: 102)
        let verdict = KillVerdict(try Self.evidence([during, good]), expected: Self.expected)
        #expect(verdict.isBack)
        #expect(verdict.lostCookies.isEmpty)
        #expect(verdict.stale.isEmpty)
        #expect(verdict.requestsWithoutCookies == 1)
        let bad = try Self.report(at: Self.killedAt + 900_000, load: 1, ls: 102, cookies: "n=7")
        #expect(KillVerdict(try Self.evidence([bad]), expected: Self.expected).lostCookies == ["session"])
    }

    @Test func sumsUp() {
        let distribution = Distribution(microseconds: (1...100).map { UInt64($0) * 1000 }.shuffled())
        #expect(distribution.p50 == 50)
        #expect(distribution.p99 == 99)
        #expect(distribution.max == 100)
        #expect(Distribution(microseconds: [7]).p99 == 0.01)
        #expect(Distribution(microseconds: []).max == nil)
    }

    @Test func isRepeatableFromItsSeed() {
        var (a, b, c) = (SplitMix64(seed: 1), SplitMix64(seed: 1), SplitMix64(seed: 2))
        let first = (0..<50).map { _ in FormValues.random(using: &a) }
        #expect(first == (0..<50).map { _ in FormValues.random(using: &b) })
        #expect(first != (0..<50).map { _ in FormValues.random(using: &c) })
        // The generator's published test vector.
        var vector = SplitMix64(seed: 1_234_567)
        #expect(vector.next() == 6_457_827_717_110_365_317)
        #expect(vector.next() == 3_203_168_211_198_807_973)
    }

    @Test func printsTheSummaryThatTheHelpPromises() throws {
        let json = String(decoding: try JSON.encode(StormSummary()), as: UTF8.self)
        for key in [
            "kills", "recovered", "lost_acknowledged_cookies", "stale_state", "recovery_ms", "white_ms", "fds_before",
            "fds_after", "zombies",
        ] {
            #expect(json.contains("\"\(key)\":"), "\(key)")
        }
        var summary = StormSummary()
        #expect(summary.isClean)
        summary.kills = 1
        #expect(!summary.isClean)
    }

    @Test func takesACommandLineApart() throws {
        let arguments = try Arguments(
            ["--kills", "5", "--json", "--seed=18446744073709551615", "x"], values: ["kills", "seed"], flags: ["json"],
            restLimit: 1)
        #expect(try arguments.number("kills", in: 1...10, fallback: 1) == 5)
        #expect(try arguments.number("seed", in: 0...UInt64.max, fallback: 1) == .max)
        #expect(arguments.has("json"))
        #expect(arguments.rest == ["x"])
        for wrong in [["--nonsense"], ["--kills"], ["x", "y"], ["--json=1"]] {
            #expect(throws: Arguments.Misuse.self) {
                try Arguments(wrong, values: ["kills"], flags: ["json"], restLimit: 1)
            }
        }
        for wrong in ["0", "11", "x", ""] {
            let parsed = try Arguments(["--kills", wrong], values: ["kills"], flags: [])
            #expect(throws: Arguments.Misuse.self) { try parsed.number("kills", in: 1...10, fallback: 1) }
        }
    }

    @Test func writesPicturesThatOthersCanRead() {
        var bitmap = Bitmap(width: 3, height: 2, fill: .init(255, 0, 0))
        bitmap.fill(x: 1, y: 1, width: 9, height: 9, .init(0, 0, 255))
        let png = PNG.encode(bitmap)
        #expect(png.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
        // The chunk that ends every PNG, its checksum included.
        #expect(png.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])
    }
}
