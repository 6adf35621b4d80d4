// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import ControlTool

/// A seeded generator (Steele, Lea and Flood's SplitMix64), so that a failure comes back.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

struct TextTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("ü", 1), ("u\u{308}", 1), ("日本", 4), ("한", 2), ("ｱ", 1), ("Ａ", 2), ("👍", 2), ("👩‍👩‍👧", 2),
        ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("\u{200B}", 0), ("…", 1),
    ])
    func widthIsWhatATerminalNeeds(_ text: String, _ width: Int) {
        #expect(Text.width(text) == width)
    }

    @Test(arguments: [
        ("plain", "plain"), ("a\nb\tc\r", #"a\nb\tc\r"#), ("\u{1B}[31mred", #"\u{1b}[31mred"#),
        ("\u{9B}2J", #"\u{9b}2J"#), ("\u{7F}\u{0}", #"\u{7f}\u{0}"#), ("\u{202E}gnp", #"\u{202e}gnp"#),
        ("\u{2028}", #"\u{2028}"#), ("👩‍👩‍👧 日本 é", "👩‍👩‍👧 日本 é"),
    ])
    func nothingThatATerminalObeysPasses(_ text: String, _ safe: String) {
        #expect(Text.safe(text) == safe)
    }

    @Test func jsonStaysTheSameValueWithoutSuchCharacters() {
        #expect(
            Text.safeJSON("{\n\"a\":\"\u{9B}\u{7F}\u{202E}\u{E0041}é\"}")
                == "{\n\"a\":\"\\u009b\\u007f\\u202e\\udb40\\udc41é\"}")
    }

    @Test func cuttingKeepsWithinTheColumns() {
        #expect(Text.cut("abcdef", to: 6) == "abcdef")
        #expect(Text.cut("abcdef", to: 5) == "abcd…")
        #expect(Text.cut("日本語", to: 5) == "日本…")
        #expect(Text.cut("日本語", to: 4) == "日…")
        #expect(Text.cut("abc", to: 0) == "")
        for columns in 0..<12 { #expect(Text.width(Text.cut("a日b👍c…d語", to: columns)) <= columns) }
    }

    @Test(arguments: [
        (0, "0 µs"), (620, "620 µs"), (999, "999 µs"), (1_000, "1 ms"), (1_250, "1.3 ms"), (43_210, "43 ms"),
        (999_499, "999 ms"), (999_500, "1 s"), (1_234_567, "1.2 s"), (9_949_999, "9.9 s"), (9_950_000, "10 s"),
        (59_499_999, "59 s"), (59_500_000, "1 min"), (192_000_000, "3 min 12 s"), (3_600_000_000, "1 h"),
        (7_500_000_000, "2 h 5 min"), (273_600_000_000, "3 d 4 h"), (-43_000, "-43 ms"),
        (Int64.min, "-106751991 d 4 h"),
    ])
    func spansReadAsPeopleWriteThem(_ microseconds: Int64, _ text: String) {
        #expect(Spans.text(microseconds: microseconds) == text)
    }

    @Test(arguments: [
        (0, "0 ms"), (81, "0.1 ms"), (2_525, "2.5 ms"), (9_951, "10 ms"), (42_600, "43 ms"), (2_022_147, "2022 ms"),
        (-981, "-1 ms"), (Int64.min, "-9223372036854776 ms"),
    ])
    func timelinesKeepToOneUnit(_ microseconds: Int64, _ text: String) {
        #expect(Spans.milliseconds(microseconds) == text)
    }

    @Test func everySpanIsMonotonicInItsUnitAndNeverTraps() {
        var generator = SplitMix(state: 1)
        for _ in 0..<2_000 {
            let value = Int64.random(in: 0...(.max), using: &generator) >> Int64.random(in: 0...62, using: &generator)
            #expect(!Spans.text(microseconds: value).contains("60 s"), "\(value)")
            #expect(!Spans.text(microseconds: value).contains("1000 "), "\(value)")
        }
    }

    @Test func datesAndAges() {
        #expect(Spans.date(1_785_412_803_045_000, ScriptedConsole.utc, milliseconds: true) == "2026-07-30 12:00:03.045")
        #expect(Spans.age(of: 10, at: 5) == "0 µs")
        #expect(Spans.age(of: 0, at: .max) == "106751991 d 4 h")
    }

    @Test func tablesAlignByWidthAndGiveUpOnlyElasticColumns() {
        var table = Table([.init(title: "A"), .init(title: "N", isRight: true), .init(title: "T", isElastic: true)])
        table.rows = [["日本", "7", "short"], ["x", "1234", "a title that is rather long"]]
        #expect(
            table.text(Style()) == """
                A        N  T
                日本     7  short
                x     1234  a title that is rather long

                """)
        let lines = table.text(Style(columns: 26)).split(separator: "\n")
        #expect(lines[2] == "x     1234  a title that …")
        #expect(lines.allSatisfy { Text.width($0) <= 26 })
        // Never below what is left of an elastic column, however narrow the terminal.
        #expect(table.text(Style(columns: 3)).contains("a title tha…"))
        #expect(Table([.init(title: "A")]).text(Style()).isEmpty)
    }

    @Test func coloursAreThereOnlyIfWanted() {
        #expect(Style(isColoured: true).paint("x", .red) == "\u{1B}[31mx\u{1B}[0m")
        #expect(Style().paint("x", .red) == "x")
        let terminal = ScriptedConsole().console(terminal: 80, ["TERM": "xterm"])
        #expect(terminal.isColoured(nil, isTerminal: true))
        #expect(!terminal.isColoured(nil, isTerminal: false))
        #expect(!terminal.isColoured("never", isTerminal: true))
        #expect(terminal.isColoured("always", isTerminal: false))
        #expect(!ScriptedConsole().console(["NO_COLOR": "1"]).isColoured(nil, isTerminal: true))
        #expect(ScriptedConsole().console(["NO_COLOR": ""]).isColoured(nil, isTerminal: true))
        #expect(!ScriptedConsole().console(["TERM": "dumb"]).isColoured(nil, isTerminal: true))
    }

    @Test(
        arguments: [
            ("KILL", 9), ("SIGKILL", 9), ("kill", 9), ("9", 9), ("term", 15), ("SIGSTOP", 19), ("64", 64),
        ] as [(String, Int32)])
    func signalsByNameAndNumber(_ text: String, _ number: Int32) {
        #expect(Signals.number(text) == number)
    }

    @Test(arguments: ["", "0", "65", "-9", "SIG", "SIGSIGKILL", "KILLS", "9 "])
    func whatIsNoSignal(_ text: String) {
        #expect(Signals.number(text) == nil)
    }
}
