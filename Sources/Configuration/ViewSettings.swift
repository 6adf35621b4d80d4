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
    /// Shown in quarantine; nil: a page of Relight's own.
    package var fallbackURL: String?
    /// The page may be of one colour all over without being taken for broken.
    package var blankOK = false
    /// The window's size; nil: the output's, or the pool's.
    package var geometry: Geometry?

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
        Key(
            "FallbackURL", \.fallbackURL, .optional(.url), example: "file:///usr/share/kiosk/sorry.html",
            "The page shown while the view is in quarantine. Without it: a plain page that says so."),
        Key(
            "BlankOK", \.blankOK, .boolean, default: "no",
            "Whether the page may be of one colour all over without being taken for broken."),
        Key(
            "Geometry", \.geometry, .optional(.geometry), example: "1920x1080",
            "The size of the view's window in pixels. Without it: the output's, or the pool's when headless."),
    ]

    func contradictions() -> [(key: String, message: String, remedy: String)] { [] }
}
