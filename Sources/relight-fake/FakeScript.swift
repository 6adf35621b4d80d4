// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What a fake host does wrong, as `RELIGHT_FAKE_SCRIPT` says: words separated by commas, each with a value or without.
struct FakeScript: Sendable {
    enum Word: String, CaseIterable {
        // Instead of hello.
        /// Never says hello.
        case noHello = "no-hello"
        /// Says hello so much later; "500ms" or "2s".
        case slowHello = "slow-hello"
        /// Says that it speaks this version of the protocol.
        case version
        /// Exits with this status at once.
        case exitAtStart = "exit-at-start"
        /// Closes the socket and lives on.
        case closeAtStart = "close-at-start"
        /// Says something else before hello.
        case speakFirst = "speak-first"
        case helloTwice = "hello-twice"

        // After hello.
        /// Sends a frame that is no JSON.
        case garbage
        /// Sends more bytes than a frame may have.
        case hugeFrame = "huge-frame"
        /// Sends a message of a type that nobody knows.
        case unknownMessage = "unknown-message"
        /// Says that a descriptor comes with a message, and sends none.
        case missingDescriptor = "missing-descriptor"
        /// Leaves a child running in its session.
        case forkGrandchild = "fork-grandchild"
        /// Leaves a child running in a session of its own.
        case forkEscapee = "fork-escapee"
        case noSlots = "no-slots"
        /// Makes each slot warm so much later.
        case slowSlots = "slow-slots"
        /// Has no processes for its slots and its network.
        case inProcess = "in-process"

        // At a bind: always, or at the first N.
        case crashOnBind = "crash-on-bind"
        case dieOnBind = "die-on-bind"
        case failBind = "fail-bind"
        case hangAfterBind = "hang-after-bind"
        case hangPageAfterBind = "hang-page-after-bind"
        /// Crashes if page state is restored.
        case crashOnState = "crash-on-state"
        /// Crashes if the URL contains this.
        case crashOnURL = "crash-on-url"
        /// Loads, but never paints.
        case noPaint = "no-paint"
        /// Paints, but never is as it should be.
        case neverVerify = "never-verify"
        /// Lets so much time go by before each step.
        case slowSteps = "slow-steps"

        // Later.
        case noPong = "no-pong"
        case noReply = "no-reply"
        case ignoreStop = "ignore-stop"
        /// Sets a cookie so often.
        case cookieEvery = "cookie-every"

        /// Does all of this only in the first N hosts that are started with the same `RELIGHT_FAKE_COUNTER`, a file.
        case hosts
    }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    private var values: [Word: String] = [:]

    init() {}

    init(parsing text: String) throws(Unreadable) {
        for part in text.split(separator: ",") {
            let pieces = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pieces[0].filter { $0 != " " }
            guard let word = Word(rawValue: name) else {
                let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
                throw Unreadable(description: "'\(name)' in RELIGHT_FAKE_SCRIPT is no word; the words are \(known)")
            }
            values[word] = pieces.count > 1 ? String(pieces[1]) : ""
        }
    }

    func has(_ word: Word) -> Bool { values[word] != nil }

    func text(_ word: Word) -> String? { values[word] }

    func number(_ word: Word) -> Int? { values[word].flatMap { Int($0) } }

    /// Whether the word holds at the `count`th time: always if it has no number.
    func holds(_ word: Word, at count: Int) -> Bool {
        guard has(word) else { return false }
        return number(word).map { count <= $0 } ?? true
    }

    /// Microseconds; 0 without the word.
    func time(_ word: Word) -> UInt64 {
        guard let text = values[word] else { return 0 }
        if text.hasSuffix("ms") { return (UInt64(text.dropLast(2)) ?? 0) * 1_000 }
        if text.hasSuffix("s") { return (UInt64(text.dropLast(1)) ?? 0) * 1_000_000 }
        return (UInt64(text) ?? 0) * 1_000
    }
}
