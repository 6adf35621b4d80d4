// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import RelightKit
import Wire

/// One command of relightctl: how it is called, what help says about it, and what it does.
struct Command: Sendable {
    /// One word, or two: "cookies list".
    let name: String
    /// What follows the name: "VIEW FILE".
    var arguments = ""
    /// Options that have to be given: "--name NAME".
    var needed = ""
    let summary: String
    var details = ""
    var options: [Option] = []
    var examples: [(line: String, meaning: String)] = []
    let run: @Sendable (Invocation) throws(ToolFailure) -> ExitCode

    var words: [String] { name.split(separator: " ").map(String.init) }

    /// Names in brackets may be left out.
    var arity: ClosedRange<Int> {
        let names = arguments.split(separator: " ")
        return names.count { !$0.hasPrefix("[") }...names.count
    }

    var usage: String {
        let parts = ["relightctl", "[OPTION…]", name, arguments, needed].filter { !$0.isEmpty }
        return parts.joined(separator: " ")
    }
}

/// One call of a command: its arguments, and everything it needs to do its work.
struct Invocation {
    static let globalOptions: [Option] = [
        Option("--socket", value: "PATH", "talk to the relightd that listens there"),
        Option("--timeout", value: "SECONDS", "how long to wait for an answer (30)"),
        Option("--json", "print what relightd answered, as JSON"),
        Option("--color", value: "WHEN", "auto, always or never"),
        Option("--help", short: "h", "say how this is used"),
    ]

    let arguments: Arguments
    let console: Console

    var isJSON: Bool { arguments.has("--json") }

    var style: Style {
        Style(
            isColoured: console.isColoured(
                arguments.options["--color"], isTerminal: console.isOutputTerminal),
            isUnicode: console.isUnicode, columns: console.isOutputTerminal ? console.columns : nil)
    }

    /// A positional argument, which the command's arity has made sure of.
    func argument(_ index: Int) -> String {
        arguments.positional.indices.contains(index) ? arguments.positional[index] : ""
    }

    func optionalArgument(_ index: Int) -> String? {
        arguments.positional.indices.contains(index) ? arguments.positional[index] : nil
    }

    var socket: String { arguments.options["--socket"] ?? ControlSocket.path() }

    func connect() throws(ToolFailure) -> ControlClient {
        let timeout = Duration.seconds(try arguments.number("--timeout") ?? 30)
        return try reporting { () throws(ControlError) in try ControlClient(path: socket, timeout: timeout) }
    }

    /// Calls a method; its result as it came goes out if that is wanted, else `human` makes text of it.
    func call<Result: Decodable>(
        _ method: Control.Method, _ parameters: some Encodable, as type: Result.Type,
        human: (Result, ControlClient) throws(ToolFailure) -> String
    ) throws(ToolFailure) {
        let client = try connect()
        if isJSON {
            try printJSON(
                try reporting { () throws(ControlError) in try client.call(method, parameters, as: JSONValue.self) })
        } else {
            let result = try reporting { () throws(ControlError) in try client.call(method, parameters, as: type) }
            try console.standardOutput(try human(result, client))
        }
    }

    /// Calls a method that has no result.
    func call(_ method: Control.Method, _ parameters: some Encodable, done: String) throws(ToolFailure) {
        try call(method, parameters, as: JSONValue.self) { _, _ in done + "\n" }
    }

    /// Indented for a terminal, else on one line.
    func printJSON(_ value: some Encodable, oneLine: Bool = false) throws(ToolFailure) {
        do {
            let bytes = try JSON.encode(value, pretty: console.isOutputTerminal && !oneLine)
            try console.standardOutput(Text.safeJSON(String(decoding: bytes, as: UTF8.self)) + "\n")
        } catch let error as ToolFailure {
            throw error
        } catch {
            throw .local("the answer cannot be written as JSON: \(error)", "leave out --json")
        }
    }

    func reporting<R>(_ body: () throws(ControlError) -> R) throws(ToolFailure) -> R {
        do {
            return try body()
        } catch {
            throw ToolFailure(error)
        }
    }
}
