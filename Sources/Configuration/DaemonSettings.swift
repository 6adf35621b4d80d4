// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// `[Relight]` of relight.conf: what concerns relightd itself.
package struct DaemonSettings: Equatable, Sendable {
    /// The least severe entries that reach the journal.
    package enum LogLevel: String, CaseIterable, Equatable, Sendable {
        case error, warning, notice, info, debug
    }

    /// Nil: where the service manager or the user's directories put it.
    package var stateDirectory: String?
    /// Nil: where the service manager or the user's directories put it.
    package var runtimeDirectory: String?
    package var logLevel = LogLevel.info
    package var maximumViews = 1000
    package var snapshotInterval = Duration.seconds(1)

    package init() {}
}

extension DaemonSettings: SettingsSection {
    static let file = "relight.conf"
    static let section = "Relight"
    static let defaults = Self()
    static let keys: [Key<Self>] = [
        Key(
            "StateDirectory", \.stateDirectory, .absolutePath, example: "/srv/relight",
            "Where snapshots and the pools' data are kept. Without it: what systemd gives, `/var/lib/relight` for root, "
                + "else `$XDG_STATE_HOME/relight`."),
        Key(
            "RuntimeDirectory", \.runtimeDirectory, .absolutePath, example: "/run/relight",
            "Where the control socket is made. Without it: what systemd gives, `/run/relight` for root, else "
                + "`$XDG_RUNTIME_DIR/relight`."),
        Key(
            "LogLevel", \.logLevel, .choice(LogLevel.allCases), default: "info",
            "The least severe entries that are logged."),
        Key(
            "MaximumViews", \.maximumViews, .number(1...10_000), default: "1000",
            "How many views there may be at once, configured and opened by hand together."),
        Key(
            "SnapshotInterval", \.snapshotInterval, .timeSpan(.milliseconds(100)...(.seconds(60))), default: "1s",
            "How old a view's saved page state may be at most. Cookies are saved at once, whatever this says."),
    ]

    func contradictions() -> [(key: String, message: String, remedy: String)] { [] }
}

extension ValueType where Value: RawRepresentable, Value.RawValue == String {
    static func choice(_ cases: [Value]) -> Self {
        let names = cases.map(\.rawValue)
        return Self(name: "choice", range: names.joined(separator: ", ")) { text throws(ValueProblem) in
            guard let value = Value(rawValue: text) else { throw ValueProblem("is not one of them") }
            return value
        }
    }
}
