// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Configuration
import Wire

/// relightctl: finds the command, runs it, and turns what goes wrong into a message and an exit status.
package enum ControlTool {
    /// Runs one command line (without the program's name).
    package static func run(_ words: [String], console: Console) -> ExitCode {
        let isJSON = words.prefix { $0 != "--" }.contains("--json")
        do {
            return try dispatch(words, console)
        } catch {
            report(error, isJSON: isJSON, console)
            return error.exit
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) throws(ToolFailure) -> ExitCode {
        // The options of every command, so that values of options are not taken for the command.
        let everything = Commands.all.flatMap(\.options) + Invocation.globalOptions
        let firsts = positions(in: words, everything)
        guard let first = firsts.first else {
            let flags = try Arguments(words, options: Invocation.globalOptions + [Option("--version", "")])
            if flags.has("--version") {
                try console.standardOutput("relightctl \(Release.version)\n")
                return .success
            }
            guard flags.has("--help") else {
                throw .usage("no command is given", "'relightctl --help' lists them, 'relightctl list' shows the views")
            }
            try console.standardOutput(Help.overview(Commands.all))
            return .success
        }
        if words[first] == "help" {
            let topic = firsts.dropFirst().map { words[$0] }
            guard !topic.isEmpty else {
                try console.standardOutput(Help.overview(Commands.all))
                return .success
            }
            try console.standardOutput(Help.page(try find(topic).command))
            return .success
        }
        let (command, length) = try find(firsts.map { words[$0] })
        var rest = words
        for index in firsts.prefix(length).reversed() { rest.remove(at: index) }
        let arguments = try Arguments(rest, options: command.options + Invocation.globalOptions)
        if arguments.has("--help") {
            try console.standardOutput(Help.page(command))
            return .success
        }
        try check(arguments, command)
        return try command.run(Invocation(arguments: arguments, console: console))
    }

    /// Where the words are that are neither options nor their values.
    private static func positions(in words: [String], _ options: [Option]) -> [Int] {
        var found: [Int] = []
        var index = 0
        while index < words.count {
            let word = words[index]
            if word == "--" { return found + words.indices[(index + 1)...] }
            if !word.hasPrefix("-") || word == "-" {
                found.append(index)
            } else if options.contains(where: { $0.value != nil && $0.matches(word) }) {
                index += 1
            }
            index += 1
        }
        return found
    }

    private static func find(_ words: [String]) throws(ToolFailure) -> (command: Command, length: Int) {
        for length in [2, 1] where words.count >= length {
            let name = words.prefix(length).joined(separator: " ")
            if let command = Commands.all.first(where: { $0.name == name }) { return (command, length) }
        }
        let first = words.first ?? ""
        let family = Commands.all.filter { $0.words.count == 2 && $0.words[0] == first }.map(\.name)
        if !family.isEmpty {
            throw .usage(
                "'\(first)' needs one more word", "write \(family.map { "'\($0)'" }.joined(separator: " or "))")
        }
        let names = Set(Commands.all.map { $0.words[0] } + ["help"]).sorted()
        let hint = nearestName(to: first, among: names).map { "did you mean '\($0)'?" }
        throw .usage(
            "there is no command '\(Text.safe(first))'", hint ?? "'relightctl --help' lists the commands")
    }

    private static func check(_ arguments: Arguments, _ command: Command) throws(ToolFailure) {
        if let when = arguments.options["--color"], !["auto", "always", "never"].contains(when) {
            throw .usage("--color cannot be '\(Text.safe(when))'", "give auto, always or never")
        }
        let count = arguments.positional.count
        guard !command.arity.contains(count) else { return }
        let problem =
            if count < command.arity.lowerBound {
                "'\(command.name)' needs \(command.arguments)"
            } else {
                "'\(Text.safe(arguments.positional[command.arity.upperBound]))' is one argument too many"
            }
        throw .usage(problem, "usage: \(command.usage)")
    }

    private static func report(_ failure: ToolFailure, isJSON: Bool, _ console: Console) {
        if isJSON, let bytes = try? JSON.encode(failure.json) {
            console.standardError(Text.safeJSON(String(decoding: bytes, as: UTF8.self)) + "\n")
            return
        }
        let style = Style(isColoured: console.isColoured(nil, isTerminal: console.isErrorTerminal))
        var text = style.paint("relightctl:", .red) + " " + Text.safe(failure.message) + "\n"
        if !failure.remedy.isEmpty { text += "  " + Text.safe(failure.remedy) + "\n" }
        console.standardError(text)
    }
}
