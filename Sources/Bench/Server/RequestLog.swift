// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Synchronization

/// One request that reached the page server: what an observer outside the browser knows of it.
package struct LoggedRequest: Sendable, Equatable {
    /// `MonotonicClock` microseconds at which its last byte was read.
    package var at: UInt64
    package var method: String
    /// Path and query as sent.
    package var target: String
    /// The Cookie header; empty if there was none.
    package var cookieHeader: String
    /// The number of the page load that this request began; nil if it was not for the demo page.
    package var load: Int?

    package init(at: UInt64, method: String, target: String, cookieHeader: String, load: Int? = nil) {
        self.at = at
        self.method = method
        self.target = target
        self.cookieHeader = cookieHeader
        self.load = load
    }

    package var path: String { String(target.prefix { $0 != "?" }) }

    package func parameter(_ name: String) -> String? {
        FormCoding.pairs(of: target.drop { $0 != "?" }.dropFirst()).first { $0.name == name }?.value
    }

    /// The value of one cookie that came with the request.
    package func cookie(_ name: String) -> String? {
        for pair in cookieHeader.split(separator: ";") {
            let pair = pair.drop { $0 == " " }
            if pair.hasPrefix(name + "=") { return String(pair.dropFirst(name.count + 1)) }
        }
        return nil
    }
}

/// What the server saw, in order. Shared between the server's thread and those who ask.
package final class RequestLog: Sendable {
    private struct State {
        var entries: [LoggedRequest] = []
        var dropped = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: so many entries are kept at least; twice as many make it forget the older half.
    package init(limit: Int = 100_000) { self.limit = limit }

    func append(_ entry: LoggedRequest) {
        state.withLock { state in
            state.entries.append(entry)
            if state.entries.count > 2 * limit {
                state.entries.removeFirst(limit)
                state.dropped += limit
            }
        }
    }

    /// How many requests came so far: a position to read on from.
    package var count: Int { state.withLock { $0.dropped + $0.entries.count } }

    /// The requests from a position on, as far as they are still kept.
    package func entries(from position: Int = 0) -> [LoggedRequest] {
        state.withLock { state in Array(state.entries.dropFirst(max(0, position - state.dropped))) }
    }

    /// The newest request that fits; looks back from the end.
    package func last(where predicate: (LoggedRequest) -> Bool) -> LoggedRequest? {
        state.withLock { $0.entries.last(where: predicate) }
    }
}
