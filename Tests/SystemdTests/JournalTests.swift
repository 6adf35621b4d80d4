// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Systemd
import TestSupport
import Testing

/// Entries through a real journal and back.
@Suite(.enabled(if: PrivateJournal.isPossible, "needs root and systemd-journald"))
struct JournalTests {
    private func reader(_ journal: PrivateJournal) throws -> JournalReader {
        // The file is made with the first entry.
        let directory = journal.directory
        try eventually("the journal's directory") { access(directory, F_OK) == 0 ? true : nil }
        let reader = try JournalReader(directory: directory)
        // Not what the journal itself has to say.
        try reader.match("SYSLOG_IDENTIFIER", "test")
        return reader
    }

    private func next(_ reader: JournalReader) throws -> JournalReader.Record {
        try #require(try reader.next(waiting: 30_000_000), "no entry within 30 s")
    }

    @Test func everythingComesBack() throws {
        let journal = try PrivateJournal()
        let writer = JournalWriter.automatic(identifier: "test", socketPath: journal.socketPath)
        let fields: [(name: String, value: String)] = [
            ("RELIGHT_VIEW", "lobby"), ("RELIGHT_STEP", "died"), ("RELIGHT_STEP", "detected"), ("EMPTY", ""),
            ("LINES", "one\ntwo\n"), ("EQUALS", "a=b=c"), ("UNICODE", "Grüße 👋"), ("NUL", "a\0b"),
        ]
        writer.write(
            JournalEntry("first line\nsecond line", priority: .warning, id: .incidentClosed, fields: fields))
        let record = try next(try reader(journal))
        #expect(record["MESSAGE"] == "first line\nsecond line")
        #expect(record["PRIORITY"] == "4")
        #expect(record.messageID == .incidentClosed)
        #expect(record["SYSLOG_IDENTIFIER"] == "test")
        #expect(record["_PID"] == "\(getpid())")
        for field in fields where field.name != "RELIGHT_STEP" { #expect(record[field.name] == field.value) }
        #expect(record.fields.filter { $0.name == "RELIGHT_STEP" }.map(\.value).sorted() == ["detected", "died"])
        #expect(record.realtime > 0)
    }

    /// More than a datagram holds goes by memfd.
    @Test func aLargeEntryComesBack() throws {
        let journal = try PrivateJournal()
        let text = String(repeating: "0123456789", count: 100_000)
        let entry = JournalEntry("large", fields: [("LARGE", text)])
        JournalWriter.automatic(identifier: "test", socketPath: journal.socketPath).write(entry)
        let record = try next(try reader(journal))
        #expect((record["LARGE"] == text) == true, "\(record["LARGE"]?.utf8.count ?? -1) bytes")
    }

    @Test func matchesSelect() throws {
        let journal = try PrivateJournal()
        let writer = JournalWriter.automatic(identifier: "test", socketPath: journal.socketPath)
        for (number, view) in ["lobby", "desk", "lobby", "window"].enumerated() {
            writer.write(
                JournalEntry("\(number)", id: number == 2 ? .viewReady : .viewOpened, fields: [("RELIGHT_VIEW", view)]))
        }
        let everything = try reader(journal)
        for number in 0..<4 { #expect(try next(everything)["MESSAGE"] == "\(number)") }

        func messages(_ select: (JournalReader) throws -> Void) throws -> [String] {
            let reader = try reader(journal)
            try select(reader)
            var messages: [String] = []
            while let record = try reader.next() { messages.append(record["MESSAGE"] ?? "") }
            return messages
        }
        #expect(try messages { try $0.match("RELIGHT_VIEW", "lobby") } == ["0", "2"])
        #expect(
            try messages {
                try $0.match("RELIGHT_VIEW", "lobby")
                try $0.match("RELIGHT_VIEW", "desk")
            } == ["0", "1", "2"])
        #expect(
            try messages {
                try $0.match("RELIGHT_VIEW", "lobby")
                try $0.match("MESSAGE_ID", MessageID.viewReady.rawValue)
            } == ["2"])
        #expect(
            try messages {
                try $0.match("RELIGHT_VIEW", "window")
                try $0.matchAlternatively()
                try $0.match("MESSAGE_ID", MessageID.viewReady.rawValue)
            } == ["2", "3"])
        #expect(throws: SystemdError.self) { try messages { try $0.match("not a field", "x") } }
    }

    @Test func seekingAndFollowing() throws {
        let journal = try PrivateJournal()
        let writer = JournalWriter.automatic(identifier: "test", socketPath: journal.socketPath)
        for number in 0..<5 { writer.write(JournalEntry("\(number)")) }
        let reader = try reader(journal)
        for number in 0..<5 { #expect(try next(reader)["MESSAGE"] == "\(number)") }
        #expect(try reader.next() == nil)

        try reader.seekTail(last: 2)
        let third = try next(reader)
        #expect(third["MESSAGE"] == "3")
        #expect(try next(reader)["MESSAGE"] == "4")
        try reader.seekTail(last: 100)
        #expect(try next(reader)["MESSAGE"] == "0")
        try reader.seekHead()
        #expect(try next(reader)["MESSAGE"] == "0")
        try reader.seek(cursor: third.cursor)
        #expect(try next(reader)["MESSAGE"] == "4")

        try reader.seekTail()
        #expect(try reader.next() == nil)
        #expect(try reader.next(waiting: 1_000) == nil)
        spawnThread {
            usleep(20_000)
            writer.write(JournalEntry("later"))
        }
        #expect(try next(reader)["MESSAGE"] == "later")
    }

    /// sd_journal_sendv(3) would wait for ever.
    @Test func aStoppedJournalStopsNobody() throws {
        let journal = try PrivateJournal()
        let socket = JournalSocket(path: journal.socketPath)
        let entry = Array("MESSAGE=hello\nPRIORITY=6\n".utf8)
        #expect(socket.send(entry))
        try journal.signal(SIGSTOP)
        let start = ContinuousClock.now
        // The queue takes as many as net.unix.max_dgram_qlen says, or the buffers.
        let accepted = (0..<20_000).prefix { _ in socket.send(entry) }.count
        #expect(accepted < 20_000, "the journal's queue never filled")
        for _ in 0..<1_000 { #expect(!socket.send(entry)) }
        #expect(ContinuousClock.now - start < .seconds(30))
        try journal.signal(SIGCONT)
        try eventually("the journal reads again") { socket.send(entry) ? true : nil }
    }

    @Test func noJournalIsSaid() throws {
        #expect(!JournalSocket(path: "/nonexistent/socket").send(Array("MESSAGE=hello\n".utf8)))
        #expect(!JournalSocket(path: "/" + String(repeating: "x", count: 200)).send(Array("MESSAGE=hello\n".utf8)))
        let error = #expect(throws: SystemdError.self) { try JournalReader(directory: "/nonexistent") }
        #expect(error.map { "\($0)" } == "cannot open the journal in /nonexistent: No such file or directory")
    }
}
