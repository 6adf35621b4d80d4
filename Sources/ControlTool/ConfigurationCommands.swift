// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Configuration
import ConfigurationFiles
import Glibc
import Platform
import Wire

private func load(_ directory: String) throws(ToolFailure) -> Configuration.Loaded {
    do {
        return try ConfigurationDirectory.load(directory)
    } catch {
        throw .local(
            error.description,
            error.code == ENOTDIR
                ? "give the directory that holds relight.conf, pools/ and views/"
                : "name the directory: 'relightctl check DIR'")
    }
}

extension Commands {
    static let check = Command(
        name: "check", arguments: "[DIR]", summary: "check the configuration files, without relightd",
        details: """
            DIR is /etc/relight, or for other users than root $XDG_CONFIG_HOME/relight (~/.config/relight). Each
            mistake is one line: file, line, what is wrong, what to do. Exit status 4 if there are errors, 0 if there
            are only warnings. JSON: {"directory", "pools", "views", "errors", "warnings", "diagnostics":
            [{"severity", "path", "line", "column", "key", "message", "remedy"}]}.
            """,
        examples: [
            ("relightctl check && systemctl reload relightd", "reload only what is right"),
            ("relightctl check ./etc", "files that are not installed yet"),
        ]
    ) { call throws(ToolFailure) in
        let directory = call.optionalArgument(0) ?? ConfigurationDirectory.standard(call.console.environment)
        let loaded = try load(directory)
        let errors = loaded.diagnostics.count { $0.severity == .error }
        let warnings = loaded.diagnostics.count - errors
        let pools = loaded.configuration.pools.keys.sorted()
        let views = loaded.configuration.views.keys.sorted()
        if call.isJSON {
            try call.printJSON(
                JSONValue.object([
                    "directory": .string(directory), "pools": .array(pools.map { .string($0) }),
                    "views": .array(views.map { .string($0) }), "errors": .integer(Int64(errors)),
                    "warnings": .integer(Int64(warnings)), "diagnostics": .array(loaded.diagnostics.map(json)),
                ]))
        } else {
            var text = ""
            for diagnostic in loaded.diagnostics {
                text += call.style.paint(diagnostic.description, diagnostic.severity == .error ? .red : .yellow) + "\n"
            }
            let sound = "\(plural(pools.count, "pool")) and \(plural(views.count, "view")) can be used"
            let bad = "\(plural(errors, "error")), \(plural(warnings, "warning"))"
            text +=
                "\(Text.safe(directory)): \(sound); \(loaded.diagnostics.isEmpty ? "nothing to complain about" : bad)\n"
            try call.console.standardOutput(text)
        }
        return errors > 0 ? .invalidConfiguration : .success
    }

    static func plural(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func json(_ diagnostic: Diagnostic) -> JSONValue {
        .object([
            "severity": .string(diagnostic.severity.rawValue), "path": .string(diagnostic.path),
            "line": diagnostic.line.map { .integer(Int64($0)) } ?? .null,
            "column": diagnostic.column.map { .integer(Int64($0)) } ?? .null,
            "key": diagnostic.key.map { .string($0) } ?? .null, "message": .string(diagnostic.message),
            "remedy": diagnostic.remedy.map { .string($0) } ?? .null,
        ])
    }

    static let explain = Command(
        name: "explain", arguments: "[KEY]", summary: "say what a configuration key means, or list all keys",
        details:
            "JSON: {\"keys\": [{\"name\", \"file\", \"section\", \"type\", \"allowed\", \"default\", \"summary\"}]}.",
        examples: [("relightctl explain WarmSlots", "one key, with an example")]
    ) { call throws(ToolFailure) in
        var keys = Configuration.reference
        if let name = call.optionalArgument(0) {
            keys = Configuration.explain(name)
            guard !keys.isEmpty else {
                let nearest = nearestName(to: name, among: Configuration.reference.map(\.name))
                throw .usage(
                    "there is no key '\(Text.safe(name))'",
                    nearest.map { "did you mean '\($0)'?" } ?? "'relightctl explain' lists all keys")
            }
        }
        if call.isJSON {
            try call.printJSON(["keys": keys.map(json)])
        } else if call.optionalArgument(0) != nil {
            try call.console.standardOutput(keys.map { $0.explanation + "\n" }.joined(separator: "\n"))
        } else {
            try call.console.standardOutput(listing(keys, call.style))
        }
        return .success
    }

    private static func listing(_ keys: [KeyReference], _ style: Style) -> String {
        var table = Table([.init(title: "KEY"), .init(title: "FILE"), .init(title: "MEANING", isElastic: true)])
        table.rows = keys.map { [.init($0.name, .bold), .init($0.file), .init($0.summary)] }
        return table.text(style)
    }

    private static func json(_ key: KeyReference) -> JSONValue {
        .object([
            "name": .string(key.name), "file": .string(key.file), "section": .string(key.section),
            "type": .string(key.type), "allowed": .string(key.range), "default": .string(key.defaultText),
            "summary": .string(key.summary),
        ])
    }
}
