// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import CSystemd
internal import Glibc

/// Reads the journal. One thread at a time.
package final class JournalReader {
    /// One entry as stored.
    package struct Record: Sendable {
        /// Where it is, for `seek(cursor:)`.
        package let cursor: String
        /// Wall clock, microseconds since 1970.
        package let realtime: UInt64
        /// Every field in stored order; a name may repeat. Values that are not UTF-8 are repaired.
        package let fields: [(name: String, value: String)]

        /// The first value of a field.
        package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

        package var messageID: MessageID? { self["MESSAGE_ID"].flatMap(MessageID.init(rawValue:)) }
    }

    private let journal: OpaquePointer

    /// Opens this machine's journal, or with a directory the files in it.
    ///
    /// - Throws: ENOENT when there is no such directory; EACCES.
    package init(directory: String? = nil) throws(SystemdError) {
        var journal: OpaquePointer?
        let result =
            if let directory {
                sd_journal_open_directory(&journal, directory, 0)
            } else {
                sd_journal_open(&journal, Int32(SD_JOURNAL_LOCAL_ONLY))
            }
        guard result >= 0, let journal else {
            throw SystemdError("open the journal\(directory.map { " in \($0)" } ?? "")", errno: -result)
        }
        self.journal = journal
        // The default cuts values at 64 KiB.
        sd_journal_set_data_threshold(journal, 0)
    }

    deinit { sd_journal_close(journal) }

    /// Only entries with this field. Several values of one field are alternatives; different fields must all match.
    package func match(_ field: String, _ value: String) throws(SystemdError) {
        let text = "\(field)=\(value)"
        try check(sd_journal_add_match(journal, text, text.utf8.count), "match \(field)")
    }

    /// What is matched from here on is an alternative to what was matched before.
    package func matchAlternatively() throws(SystemdError) {
        try check(sd_journal_add_disjunction(journal), "add an alternative match")
    }

    /// The next record read is the oldest.
    package func seekHead() throws(SystemdError) { try check(sd_journal_seek_head(journal), "seek the journal's head") }

    /// The next record read is the first of the last `count`; with 0, the first one that is written from now on.
    package func seekTail(last count: Int = 0) throws(SystemdError) {
        try check(sd_journal_seek_tail(journal), "seek the journal's tail")
        // The seek alone leaves no position: an entry has to be read backwards. One more is skipped, since `next` goes
        // on to the following one.
        let skipped = try check(sd_journal_previous_skip(journal, UInt64(count + 1)), "go back in the journal")
        if skipped <= count { try seekHead() }
    }

    /// The next record read is the one after this.
    package func seek(cursor: String) throws(SystemdError) {
        try check(sd_journal_seek_cursor(journal, cursor), "seek a cursor in the journal")
        if try check(sd_journal_next(journal), "read the journal") > 0, sd_journal_test_cursor(journal, cursor) <= 0 {
            // The entry is gone; what stands here now has not been read.
            try check(sd_journal_previous(journal), "go back in the journal")
        }
    }

    /// The next record, or nil at the end.
    package func next() throws(SystemdError) -> Record? {
        guard try check(sd_journal_next(journal), "read the journal") > 0 else { return nil }
        return try record()
    }

    /// The next record; waits for one to be written for at most so many microseconds.
    package func next(waiting microseconds: UInt64) throws(SystemdError) -> Record? {
        let clock = ContinuousClock()
        let deadline = clock.now + .microseconds(Int64(clamping: min(microseconds, 1 << 50)))
        while true {
            if let record = try next() { return record }
            let left = clock.now.duration(to: deadline)
            guard left > .zero else { return nil }
            let part =
                UInt64(left.components.seconds) * 1_000_000
                + UInt64(left.components.attoseconds / 1_000_000_000_000)
            try check(sd_journal_wait(journal, part + 1), "wait for the journal")
        }
    }

    private func record() throws(SystemdError) -> Record {
        var cursor: UnsafeMutablePointer<CChar>?
        try check(sd_journal_get_cursor(journal, &cursor), "read a journal cursor")
        defer { free(cursor) }
        var realtime: UInt64 = 0
        try check(sd_journal_get_realtime_usec(journal, &realtime), "read a journal time")
        var fields: [(name: String, value: String)] = []
        var data: UnsafeRawPointer?
        var size = 0
        sd_journal_restart_data(journal)
        while try check(sd_journal_enumerate_available_data(journal, &data, &size), "read a journal entry") > 0 {
            let bytes = UnsafeRawBufferPointer(start: data, count: size)
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { continue }
            fields.append(
                (
                    String(decoding: bytes[..<equals], as: UTF8.self),
                    String(decoding: bytes[(equals + 1)...], as: UTF8.self)
                ))
        }
        return Record(cursor: cursor.map { String(cString: $0) } ?? "", realtime: realtime, fields: fields)
    }

    @discardableResult
    private func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(SystemdError) -> Int {
        guard result >= 0 else { throw SystemdError(operation(), errno: -result) }
        return Int(result)
    }
}
