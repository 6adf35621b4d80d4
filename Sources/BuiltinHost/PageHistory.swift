// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
package import Wire

/// The back-forward list of one view. It travels as `PageState.sessionState`.
package struct PageHistory: Sendable, Equatable, Codable {
    package struct Entry: Sendable, Equatable, Codable {
        package var url: String
        package var title: String
    }

    /// The oldest go first.
    package static let limit = 50

    package private(set) var entries: [Entry] = []
    package private(set) var index = 0

    package init() {}

    /// From a state that this renderer wrote; another one's is not understood, and a list of one page is begun.
    package init(restoring state: PageState) {
        if let text = state.sessionState, let data = Data(base64Encoded: text),
            let history = try? JSON.decode(PageHistory.self, from: Array(data)),
            history.entries.indices.contains(history.index), history.entries.count <= Self.limit
        {
            self = history
        } else if !state.url.isEmpty {
            entries = [Entry(url: state.url, title: state.title)]
        }
    }

    package var current: Entry? { entries.indices.contains(index) ? entries[index] : nil }

    /// A page that was gone to; what lay ahead is forgotten.
    package mutating func go(to url: String) {
        entries.removeSubrange(min(index + 1, entries.count)...)
        entries.append(Entry(url: url, title: ""))
        if entries.count > Self.limit { entries.removeFirst() }
        index = entries.count - 1
    }

    /// False if there is nothing on that side.
    package mutating func move(by distance: Int) -> Bool {
        guard entries.indices.contains(index + distance) else { return false }
        index += distance
        return true
    }

    /// What became of the current page: redirects led elsewhere, and it has a title.
    package mutating func amend(url: String, title: String) {
        guard entries.indices.contains(index) else { return }
        entries[index] = Entry(url: url, title: title)
    }

    package func state(url: String, title: String) -> PageState {
        let encoded = try? JSON.encode(self)
        return PageState(url: url, title: title, sessionState: encoded.map { Data($0).base64EncodedString() })
    }
}
