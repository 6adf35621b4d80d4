// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Configuration

/// An option of the command line.
struct Option: Sendable {
    /// With its dashes.
    let name: String
    var short: Character?
    /// What its value is called in help; nil if it takes none.
    var value: String?
    let help: String

    init(_ name: String, short: Character? = nil, value: String? = nil, _ help: String) {
        self.name = name
        self.short = short
        self.value = value
        self.help = help
    }

    /// Whether this is the option's name, or its letter with a dash.
    func matches(_ word: String) -> Bool { word == name || word == short.map { "-\($0)" } }

    /// "-h, --help", "--pool POOL"
    var synopsis: String { (short.map { "-\($0), " } ?? "") + name + (value.map { " " + $0 } ?? "") }
}

/// A command line taken apart.
struct Arguments: Equatable, Sendable {
    var positional: [String] = []
    /// By name with dashes; an option without a value has an empty one. The last one counts.
    var options: [String: String] = [:]

    func has(_ name: String) -> Bool { options[name] != nil }

    /// Takes `--name value`, `--name=value`, and `-n` for options that have a letter; what follows `--` is no option.
    init(_ words: [String], options known: [Option]) throws(ToolFailure) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positional += rest
                return
            }
            // A lone dash stands for standard input or output.
            guard word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            guard let option = known.first(where: { $0.matches(name) }) else {
                throw Self.unknown(name, known)
            }
            switch (option.value, parts.count) {
            case (nil, 1): options[option.name] = ""
            case (nil, _): throw .usage("\(option.name) takes no value", "leave out what follows the '='")
            case (_, 2): options[option.name] = parts[1]
            case (let value?, _):
                guard let next = rest.popFirst() else {
                    throw .usage("\(option.name) needs a value", "write '\(option.name) \(value)'")
                }
                options[option.name] = next
            }
        }
    }

    private static func unknown(_ name: String, _ known: [Option]) -> ToolFailure {
        let nearest = nearestName(to: name, among: known.map(\.name)).map { "did you mean '\($0)'?" }
        return .usage(
            "there is no option '\(Text.safe(name))' here",
            nearest ?? "put '--' before an argument that starts with a dash; '--help' lists the options")
    }

    /// The value of an option that is a whole number of at least 1.
    func number(_ name: String) throws(ToolFailure) -> Int? {
        guard let text = options[name] else { return nil }
        guard let number = Int(text), number > 0 else {
            throw .usage("'\(Text.safe(text))' is no number for \(name)", "give 1 or more")
        }
        return number
    }
}
