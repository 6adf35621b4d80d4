// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What there is to say about one key; Docs/configuration.md and `explain` are made of these.
package struct KeyReference: Equatable, Sendable {
    /// `relight.conf`, `pools/NAME.pool` or `views/NAME.view`.
    package var file: String
    /// Without brackets.
    package var section: String
    package var name: String
    /// "time span"
    package var type: String
    /// What is allowed: "100ms to 1h".
    package var range: String
    /// As it would be written; empty if there is none.
    package var defaultText: String
    /// One or two sentences.
    package var summary: String
    package var isRequired: Bool
    /// Several assignments add up.
    package var isList: Bool
    package var example: String

    /// The key's row in a Markdown table with the columns key, type, allowed, default, meaning.
    package var markdownRow: String {
        let fallback = isRequired ? "required" : defaultText.isEmpty ? "none" : "`\(defaultText)`"
        return "| `\(name)=` | \(type) | \(range) | \(fallback) | \(summary) |"
    }

    /// What `explain` prints.
    package var explanation: String {
        let fallback = isRequired ? "none, it has to be given" : defaultText.isEmpty ? "none" : defaultText
        return """
            \(name)= in [\(section)] of \(file)
              \(summary)
              type     \(type)\(isList ? ", may be given several times; an empty value starts over" : "")
              allowed  \(range)
              default  \(fallback)
              example  \(name)=\(example)
            """
    }
}

/// One key of `Settings`: how it is documented, read, put back to its default, and compared.
struct Key<Settings: SettingsSection>: Sendable {
    let reference: KeyReference
    let assign: @Sendable (inout Settings, String) throws(ValueProblem) -> Void
    let reset: @Sendable (inout Settings) -> Void
    let differs: @Sendable (Settings, Settings) -> Bool

    var name: String { reference.name }

    /// - Parameters:
    ///   - name: as written in the file.
    ///   - path: where the value goes.
    ///   - type: how it is written.
    ///   - fallback: the default as it would be written; empty for none. The default itself is `Settings.defaults`'.
    ///   - example: a value to show in errors, where the default is none or says little.
    ///   - isRequired: a file without it is in error.
    ///   - summary: one or two sentences.
    init<Value: Equatable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ type: ValueType<Value>,
        default fallback: String = "", example: String? = nil, isRequired: Bool = false, _ summary: String
    ) {
        reference = KeyReference(
            file: Settings.file, section: Settings.section, name: name, type: type.name, range: type.range,
            defaultText: fallback, summary: summary, isRequired: isRequired, isList: false,
            example: example ?? fallback)
        assign = { settings, text throws(ValueProblem) in settings[keyPath: path] = try type.parse(text) }
        reset = { settings in settings[keyPath: path] = Settings.defaults[keyPath: path] }
        differs = { $0[keyPath: path] != $1[keyPath: path] }
    }

    /// A key whose assignments add up.
    init<Element: Equatable & Sendable>(
        list name: String, _ path: any WritableKeyPath<Settings, [Element]> & Sendable, _ type: ValueType<[Element]>,
        example: String, _ summary: String
    ) {
        reference = KeyReference(
            file: Settings.file, section: Settings.section, name: name, type: type.name, range: type.range,
            defaultText: "", summary: summary, isRequired: false, isList: true, example: example)
        assign = { settings, text throws(ValueProblem) in
            settings[keyPath: path].append(contentsOf: try type.parse(text))
        }
        reset = { settings in settings[keyPath: path] = Settings.defaults[keyPath: path] }
        differs = { $0[keyPath: path] != $1[keyPath: path] }
    }
}

/// What one kind of file sets. The table `keys` is the only place where a key is defined.
protocol SettingsSection: Equatable, Sendable {
    static var file: String { get }
    static var section: String { get }
    static var defaults: Self { get }
    static var keys: [Key<Self>] { get }
    /// Contradictions between keys: the key to blame, what is wrong, and the remedy.
    func contradictions() -> [(key: String, message: String, remedy: String)]
}

extension Configuration {
    /// Every key there is, by file, in the order of the documentation.
    package static let reference: [KeyReference] =
        DaemonSettings.keys.map(\.reference) + PoolSettings.keys.map(\.reference) + ViewSettings.keys.map(\.reference)

    /// The keys called `name`, whatever the letter case and with or without `=`; empty if there is none.
    package static func explain(_ name: String) -> [KeyReference] {
        let wanted = (name.hasSuffix("=") ? String(name.dropLast()) : name).lowercased()
        return reference.filter { $0.name.lowercased() == wanted }
    }
}
