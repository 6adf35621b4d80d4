// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// `[Pool]` of a pool file: the views that name the pool share one data store and one set of renderers.
package struct PoolSettings: Equatable, Sendable {
    package enum Renderer: Equatable, Sendable {
        case webkit
        case builtin
        /// The absolute path of a host that speaks the renderer protocol.
        case executable(String)
    }

    package enum Display: Equatable, Sendable {
        /// The one relightd's own environment names.
        case session
        /// A private one that relightd starts and supervises.
        case headless
        /// An X display such as `:0`.
        case x11(String)
        /// A Wayland socket's name such as `wayland-1`.
        case wayland(String)
    }

    package var renderer = Renderer.webkit
    /// Nil: by the machine's memory.
    package var warmSlots: Int?
    /// Nil: by the machine's memory.
    package var standby: Bool?
    package var display = Display.session
    /// Nil: wherever the pool's renderer has windows.
    package var curtain: Bool?
    /// Nil: by the renderer.
    package var heartbeatInterval: Duration?
    /// `Quantity.forever` for never.
    package var heartbeatTimeout = Duration.seconds(15)
    package var helloTimeout = Duration.seconds(10)
    package var recoveryTimeout = Duration.seconds(30)
    package var restartBackoff = Duration.milliseconds(100)
    package var restartBackoffMaximum = Duration.seconds(30)
    package var startLimitBurst = 5
    package var startLimitInterval = Duration.seconds(60)
    package var stopTimeout = Duration.seconds(5)
    /// Nil: a directory of the pool's name in the state directory.
    package var dataDirectory: String?
    package var geometry = Geometry(width: 1280, height: 720)
    package var environment: [EnvironmentEntry] = []

    package init() {}
}

extension PoolSettings: SettingsSection {
    static let file = "pools/NAME.pool"
    static let section = "Pool"
    static let defaults = Self()

    static let keys: [Key<Self>] = processKeys + timeKeys

    private static let processKeys: [Key<Self>] = [
        Key(
            "Renderer", \.renderer, .renderer, default: "webkit",
            "What shows the pages: WebKitGTK, the built-in host without a browser engine, or a program of your own "
                + "that speaks the renderer protocol."),
        Key(
            "WarmSlots", \.warmSlots, .numberOrAuto(0...16), default: "auto", example: "1",
            "How many spare slots a host keeps ready. `auto` follows the machine's memory."),
        Key(
            "Standby", \.standby, .booleanOrAuto, default: "auto", example: "yes",
            "Whether a second host stands by, started and idle, to take over all views. `auto` follows the machine's "
                + "memory."),
        Key(
            "Display", \.display, .display, default: "session", example: "headless",
            "Where windows appear: the display relightd was started in, a private one that it starts itself, or a "
                + "named X or Wayland display."),
        Key(
            "Curtain", \.curtain, .booleanOrAuto, default: "auto", example: "yes",
            "Whether a window beneath the host's shows the last good frame while no host is there. `auto`: where the "
                + "renderer has windows."),
        Key(
            "Geometry", \.geometry, .geometry, default: "1280x720",
            "The size of a headless display, in pixels."),
        Key(
            "DataDirectory", \.dataDirectory, .absolutePath, example: "/srv/lobby",
            "Where the pool's cookies, storage and cache are kept. Without it: `pools/NAME` in the state directory."),
        Key(
            list: "Environment", \.environment, .environment, example: "LANG=de_DE.UTF-8",
            "Variables for the pool's hosts, separated by white space; quote those that contain some."),
    ]

    private static let timeKeys: [Key<Self>] = [
        Key(
            "HeartbeatInterval", \.heartbeatInterval, .timeSpanOrAuto(.milliseconds(100)...(.seconds(600))),
            default: "auto", example: "5s",
            "How often a host and its pages are asked whether they are alive. `auto`: 5s, and 60s for the built-in "
                + "renderer, in which no page can hang."),
        Key(
            "HeartbeatTimeout", \.heartbeatTimeout,
            .timeSpan(.milliseconds(200)...(.seconds(3600)), orInfinity: true), default: "15s",
            "How long an answer may take before the host or page counts as hung. `infinity`: never."),
        Key(
            "HelloTimeout", \.helloTimeout, .timeSpan(.milliseconds(100)...(.seconds(600))), default: "10s",
            "How long a new host may take to introduce itself."),
        Key(
            "RecoveryTimeout", \.recoveryTimeout, .timeSpan(.milliseconds(100)...(.seconds(3600))), default: "30s",
            "How long one step of a recovery may take before the next is tried."),
        Key(
            "RestartBackoff", \.restartBackoff, .timeSpan(.zero...(.seconds(3600))), default: "100ms",
            "The pause before a host that failed again is restarted; it doubles each time."),
        Key(
            "RestartBackoffMaximum", \.restartBackoffMaximum, .timeSpan(.zero...(.seconds(86400))), default: "30s",
            "Where the doubling of RestartBackoff= ends."),
        Key(
            "StartLimitBurst", \.startLimitBurst, .number(1...1000), default: "5",
            "So many failures within StartLimitInterval= put a view into quarantine."),
        Key(
            "StartLimitInterval", \.startLimitInterval, .timeSpan(.seconds(1)...(.seconds(86400))), default: "60s",
            "The time in which StartLimitBurst= failures count as a crash loop."),
        Key(
            "StopTimeout", \.stopTimeout, .timeSpan(.milliseconds(100)...(.seconds(600))), default: "5s",
            "How long a host may take to stop before it is killed."),
    ]

    func contradictions() -> [(key: String, message: String, remedy: String)] {
        var found: [(key: String, message: String, remedy: String)] = []
        if let heartbeatInterval, heartbeatTimeout < heartbeatInterval {
            let (timeout, interval) = (Quantity.text(of: heartbeatTimeout), Quantity.text(of: heartbeatInterval))
            found.append(
                (
                    "HeartbeatTimeout", "HeartbeatTimeout=\(timeout) is shorter than HeartbeatInterval=\(interval)",
                    "give at least \(interval), better three times that"
                ))
        }
        if restartBackoffMaximum < restartBackoff {
            let (most, first) = (Quantity.text(of: restartBackoffMaximum), Quantity.text(of: restartBackoff))
            found.append(
                (
                    "RestartBackoffMaximum", "RestartBackoffMaximum=\(most) is shorter than RestartBackoff=\(first)",
                    "give at least \(first)"
                ))
        }
        return found
    }
}
