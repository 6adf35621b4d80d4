// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Configuration

@Suite struct QuantityTests {
    @Test(arguments: [
        ("5", Duration.seconds(5)), ("5s", .seconds(5)), ("500ms", .milliseconds(500)), ("1min 30s", .seconds(90)),
        ("1min30s", .seconds(90)), ("2 h", .seconds(7200)), ("1.5h", .seconds(5400)), ("0.25", .milliseconds(250)),
        ("1d", .seconds(86400)), ("2w", .seconds(1_209_600)), ("3us", .microseconds(3)), ("3µs", .microseconds(3)),
        ("7ns", .nanoseconds(7)), ("1M", .seconds(2_629_800)), ("1m", .seconds(60)), ("1y", .seconds(31_557_600)),
        ("0", .zero), ("infinity", Quantity.forever), ("200y", Quantity.forever),
        ("9223372036854775807y", Quantity.forever),
        ("99999999999999999999999s", Quantity.forever), ("0.000000001s", .nanoseconds(1)),
    ]) func timeSpans(text: String, expected: Duration) {
        #expect(Quantity.timeSpan(text) == expected)
    }

    @Test(arguments: ["", " ", "s", "-1", "+1", "1x", "1.s", ".5s", "1..5", "1s,2s", "1e3", "infinity 1s", "1 S", "٣s"])
    func noTimeSpans(text: String) {
        #expect(Quantity.timeSpan(text) == nil)
    }

    @Test func spansAreWrittenSoThatTheyCanBeRead() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let magnitude = Int64.random(in: 0..<62, using: &random)
            let span = Duration.nanoseconds(Int64.random(in: 0...(1 << magnitude), using: &random))
            let text = Quantity.text(of: span)
            #expect(Quantity.timeSpan(text) == min(span, Quantity.forever), "\(text)")
        }
        #expect(Quantity.text(of: .seconds(90)) == "1min 30s")
        #expect(Quantity.text(of: Quantity.forever) == "infinity")
    }

    @Test(arguments: [
        ("0", Int64(0)), ("4096", 4096), ("512M", 512 << 20), ("1.5G", 3 << 29), ("1K", 1024), ("3 T", 3 << 40),
        ("10B", 10),
    ]) func sizes(text: String, expected: Int64) {
        #expect(Quantity.size(text) == expected)
    }

    @Test(arguments: ["", "M", "1m", "1MM", "-1", "1G 1M", "16E", "99999999999999999999"]) func noSizes(text: String) {
        #expect(Quantity.size(text) == nil)
    }

    @Test func booleans() {
        for text in ["1", "yes", "y", "true", "t", "on", "YES", "On"] { #expect(Quantity.boolean(text) == true) }
        for text in ["0", "no", "n", "false", "f", "off", "FALSE"] { #expect(Quantity.boolean(text) == false) }
        for text in ["", "2", "ja", "yess", "auto"] { #expect(Quantity.boolean(text) == nil) }
    }

    @Test func names() {
        for name in ["a", "Lobby-1", "a.b_c", String(repeating: "x", count: 64)] {
            #expect(ConfigurationName.problem(with: name) == nil)
        }
        for name in ["", ".a", "a/b", "a b", "ä", "a\0", String(repeating: "x", count: 65), ".."] {
            #expect(ConfigurationName.problem(with: name) != nil)
        }
    }

    @Test func addresses() {
        for url in [
            "http://a", "HTTPS://a.test/x", "http://[::1]:80/", "http://u:p@a.test:1/",
            "file:///a b".replacing(" ", with: "%20"),
            "about:blank", "http://a.test?x", "https://bücher.test/", "http://a.test:/",
        ] {
            #expect(PageURL.problem(with: url) == nil, "\(url)")
        }
        for url in [
            "", "a", "http:", "http:/a", "http://", "http:///x", "http://a b/", "file:x", "file://host/x", "about:",
            "javascript:alert(1)", "data:text/html,x", "ftp://a/", "http://a:99999/", "http://a:x/", "http://[::1/",
            "http://[::1]x/", "http://a/\u{1}", "http://a/" + String(repeating: "x", count: 9000),
        ] {
            #expect(PageURL.problem(with: url) != nil, "\(url)")
        }
    }

    @Test func nearestNames() {
        let names = PoolSettings.keys.map(\.name)
        #expect(nearestName(to: "Standy", among: names) == "Standby")
        #expect(nearestName(to: "RestartBackofMaximum", among: names) == "RestartBackoffMaximum")
        #expect(nearestName(to: "Dislpay", among: names) == "Display")
        #expect(nearestName(to: "Quux", among: names) == nil)
        #expect(nearestName(to: "", among: names) == nil)
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
