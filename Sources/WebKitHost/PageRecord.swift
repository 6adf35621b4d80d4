// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import Wire

/// What the page script tells the host.
struct PageMessage: Decodable {
    enum Kind: String, Decodable {
        /// a frame's state changed
        case state
        /// the page is there and has been drawn with all that was restored
        case painted
    }

    let type: Kind
    var url: String?
    var state: FrameState?
    /// How many frames are directly below the one that reports.
    var frames: Int?
}

/// What the page script says about a restored page.
struct PageVerdict: Decodable {
    let url: String
    /// Selectors of controls that are not there, or do not take their value.
    let missing: [String]
    /// How far, in CSS pixels, the page is from where it was scrolled to.
    let distance: Double

    /// What is not as it was, for a person; nil if all is. Form input stays out of it.
    func shortcomings(wanted: String) -> String? {
        var parts: [String] = []
        if PageRecord.withoutFragment(url) != PageRecord.withoutFragment(wanted) {
            parts.append("the page is at another address")
        }
        if !missing.isEmpty { parts.append("\(missing.count) form fields are not there") }
        if distance > 2 { parts.append("the page cannot be scrolled to where it was") }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

/// The state of the frames of one page, put together from their reports.
struct PageRecord {
    private var frames: [String: FrameState] = [:]

    /// Begins with what is being restored, so that a frame which has not reported yet is not forgotten.
    init(_ state: PageState? = nil) {
        for frame in state?.frames ?? [] { frames[frame.path] = frame }
    }

    mutating func note(_ frame: FrameState, children: Int) {
        let prefix = frame.path.isEmpty ? "" : frame.path + "."
        frames = frames.filter { path, _ in
            guard path != frame.path, path.hasPrefix(prefix) else { return true }
            let index = path.dropFirst(prefix.count).prefix { $0 != "." }
            return Int(index).map { $0 < children } ?? false
        }
        frames[frame.path] = frame
    }

    /// The main frame first, then the others in the order of the tree.
    var states: [FrameState] {
        frames.values.filter(Self.isWorthKeeping).sorted { left, right in
            let order = left.path.split(separator: ".").map { Int($0) ?? 0 }
            return order.lexicographicallyPrecedes(right.path.split(separator: ".").map { Int($0) ?? 0 })
        }
    }

    private static func isWorthKeeping(_ frame: FrameState) -> Bool {
        frame.path.isEmpty || frame.scrollX != 0 || frame.scrollY != 0 || !frame.fields.isEmpty
            || !frame.sessionStorage.isEmpty
    }

    static func withoutFragment(_ url: String) -> Substring { url.prefix { $0 != "#" } }
}
#endif
