// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import Systemd
import TestSupport
import Testing

@Suite struct JournalEntryTests {
    @Test(arguments: ["RELIGHT_VIEW", "A", "A1", "RELIGHT_FIRST_PAINT_USEC", String(repeating: "A", count: 64)])
    func namesThatTheJournalTakes(_ name: String) {
        #expect(JournalEntry.isValidFieldName(name))
    }

    @Test(arguments: [
        "", "_PID", "1A", "a", "RELIGHT-VIEW", "RELIGHT VIEW", "A=", "A\n", "Ä", String(repeating: "A", count: 65),
    ])
    func namesThatItDoesNot(_ name: String) {
        #expect(!JournalEntry.isValidFieldName(name))
    }

    @Test func aLineHasTheSameFields() {
        let entry = JournalEntry(
            "view lobby failed", priority: .warning, id: .incidentOpened,
            fields: [("RELIGHT_VIEW", "lobby"), ("RELIGHT_CAUSE", #"it said "no" twice"#), ("RELIGHT_FILE", "")])
        #expect(
            entry.line == #"<4>view lobby failed  RELIGHT_VIEW=lobby RELIGHT_CAUSE="it said \"no\" twice" "#
                + #"RELIGHT_FILE="" MESSAGE_ID=\#(MessageID.incidentOpened.rawValue)"#)
    }

    @Test func aLineStaysOneLineAndSparesTheTerminal() {
        let entry = JournalEntry("a\nb\u{1b}[31m\u{9b}", fields: [("X", "1\r\n2\t\u{7f}")])
        #expect(entry.line == #"<6>a\nb\x1b[31m\x9b  X="1\r\n2\t\x7f""#)
    }

    @Test func badFieldsAreLeftOutAndNamed() throws {
        let writer = JournalWriter.capturing()
        writer.write(JournalEntry("hello", fields: [("_PID", "1"), ("GOOD", "2"), ("bad", "3")]))
        let entry = try #require(writer.captured.first)
        #expect(entry.fields.map(\.name) == ["GOOD", "RELIGHT_BAD_FIELD"])
        #expect(entry["RELIGHT_BAD_FIELD"] == "_PID bad")
    }

    @Test func withoutAJournalLinesGoToTheDescriptor() throws {
        let (ours, theirs) = try UnixSocket.pair()
        JournalWriter.lines(to: theirs.raw).write(JournalEntry("hello", fields: [("X", "1")]))
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(ours.raw, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) == "<6>hello  X=1\n")
    }

    /// A log reader that hangs must not hang the supervisor.
    @Test func aFullPipeIsGivenUp() throws {
        var fds: [Int32] = [-1, -1]
        #expect(pipe(&fds) == 0)
        let ends = fds.map { FileDescriptor(owning: $0) }
        let writer = JournalWriter.lines(to: ends[1].raw)
        // A blocking pipe of 64 KiB; the last of these find it full.
        let entry = JournalEntry(String(repeating: "x", count: 16_000))
        let start = ContinuousClock.now
        for _ in 0..<8 { writer.write(entry) }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func idsAreFixedAndDistinct() {
        let ids = MessageID.allCases.map(\.rawValue)
        #expect(Set(ids).count == ids.count)
        for id in ids { #expect(id.count == 32 && id.allSatisfy { $0.isHexDigit && !$0.isUppercase }) }
        // Alerts and dashboards name them.
        #expect(MessageID.incidentClosed.rawValue == "d8bfb578a8c048e881fa223bfc888770")
    }
}
