// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What a page needs besides cookies and storage to come back as it was. At most 1 s old when a renderer dies.
package struct PageState: Sendable, Equatable, Codable {
    package var url: String
    package var title: String
    /// The engine's own session state (back-forward list), base64; nil if the engine has none.
    package var sessionState: String?
    /// One entry for each frame that has something to restore, the main frame first.
    package var frames: [FrameState]

    package init(url: String, title: String = "", sessionState: String? = nil, frames: [FrameState] = []) {
        self.url = url
        self.title = title
        self.sessionState = sessionState
        self.frames = frames
    }
}

/// Scroll, form input and sessionStorage of one frame.
package struct FrameState: Sendable, Equatable, Codable {
    /// The frame's place in the tree, as indexes joined by dots ("0.2"); empty for the main frame.
    package var path: String
    package var url: String
    /// CSS pixels.
    package var scrollX: Double
    package var scrollY: Double
    package var fields: [FormField]
    package var sessionStorage: [String: String]

    package init(
        path: String = "", url: String, scrollX: Double = 0, scrollY: Double = 0, fields: [FormField] = [],
        sessionStorage: [String: String] = [:]
    ) {
        self.path = path
        self.url = url
        self.scrollX = scrollX
        self.scrollY = scrollY
        self.fields = fields
        self.sessionStorage = sessionStorage
    }
}

/// What a person typed or chose in one control. Password fields are left out by the hosts.
package struct FormField: Sendable, Equatable, Codable {
    package enum Kind: String, Sendable, Codable {
        /// text of an input or textarea
        case value
        /// a checkbox or radio button
        case checked
        /// the chosen options of a select, as indexes joined by commas
        case selected
        /// the markup of an editable element
        case editable
    }

    /// A CSS selector that finds the control again.
    package var selector: String
    package var kind: Kind
    package var value: String

    package init(selector: String, kind: Kind, value: String) {
        self.selector = selector
        self.kind = kind
        self.value = value
    }
}
