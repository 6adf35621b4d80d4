// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// `[View]` of a view file: one page that must stay alive.
package struct ViewSettings: Equatable, Sendable {
    /// The page; never empty in a configuration that was loaded.
    package var url: String
    package var pool = "default"
    package var fullscreen = true
    /// The monitor's connector name; nil: the display's first.
    package var output: String?

    package init(url: String, pool: String = "default") {
        self.url = url
        self.pool = pool
    }
}

extension ViewSettings: SettingsSection {
    static let file = "views/NAME.view"
    static let section = "View"
    static let defaults = Self(url: "")
    static let keys: [Key<Self>] = [
        Key(
            "URL", \.url, .url, example: "https://example.org/", isRequired: true,
            "The page to show."),
        Key(
            "Pool", \.pool, .name, default: "default",
            "The pool whose data store and renderers the view uses. The pool `default` exists without a file."),
        Key(
            "Fullscreen", \.fullscreen, .boolean, default: "yes",
            "Whether the view's window covers its output."),
        Key(
            "Output", \.output, .optional(.word("output", range: "a connector's name")), example: "HDMI-1",
            "The monitor that shows the view. Without it: the display's first."),
    ]

    func contradictions() -> [(key: String, message: String, remedy: String)] { [] }
}
