// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import RelightKit
import Wire

extension Commands {
    /// What is done to the page of a view.
    static let pageCommands = [load, reload, snapshot, screenshot, eval]

    private static let load = Command(
        name: "load", arguments: "VIEW URL", summary: "show another page in a view", details: "JSON: {}.",
        examples: [("relightctl load lobby https://example.org/tuesday", "the view goes there")]
    ) { call throws(ToolFailure) in
        let parameters = Control.LoadParameters(view: call.argument(0), url: call.argument(1))
        try call.call(
            .load, parameters, done: "Loading \(Text.safe(parameters.url)) in '\(Text.safe(parameters.view))'.")
        return .success
    }

    private static let reload = Command(
        name: "reload", arguments: "VIEW", summary: "load a view's page again",
        details: "To make relightd read its configuration again: 'systemctl reload relightd'. JSON: {}.",
        examples: [("relightctl reload lobby", "the page is fetched again")]
    ) { call throws(ToolFailure) in
        let name = call.argument(0)
        try call.call(.reload, Control.ViewName(view: name), done: "Reloading '\(Text.safe(name))'.")
        return .success
    }

    private static let snapshot = Command(
        name: "snapshot", arguments: "VIEW", summary: "bring a view's cookies and page state to disk now",
        details: """
            relightd does this by itself all the time: cookies as they change, page state at most 1 s later.
            JSON: {"cookies", "snapshotAt"}.
            """,
        examples: [("relightctl snapshot lobby", "returns when both are on disk")]
    ) { call throws(ToolFailure) in
        try call.call(.snapshot, Control.ViewName(view: call.argument(0)), as: Control.SnapshotResult.self) {
            result, _ in
            let state = result.snapshotAt.map {
                "page state of \(Spans.date($0, call.console.calendar, milliseconds: true))"
            }
            return "On disk: \(result.cookies) cookies, \(state ?? "no page state").\n"
        }
        return .success
    }

    private static let screenshot = Command(
        name: "screenshot", arguments: "VIEW FILE", summary: "save what a view shows as a PNG",
        details: """
            The file is replaced in one step once the picture is there. '-' writes it to standard output.
            JSON: {"view", "file", "bytes"}.
            """,
        examples: [
            ("relightctl screenshot lobby lobby.png", "into a file"),
            ("relightctl screenshot lobby - | display", "into another program"),
        ]
    ) { call throws(ToolFailure) in
        let (view, file) = (call.argument(0), call.argument(1))
        if file == "-" && call.console.isOutputTerminal {
            throw .usage("a picture does not belong on a terminal", "name a file, or pipe it into a program")
        }
        let client = try call.connect()
        let png = try call.reporting { () throws(ControlError) in try client.screenshot(view: view) }
        if file == "-" {
            if let problem = put(png, STDOUT_FILENO) {
                throw .local("the picture cannot be written: \(problem)", "look where standard output goes")
            }
            return .success
        }
        try LocalFile.replace(file, with: png)
        if call.isJSON {
            try call.printJSON(
                JSONValue.object([
                    "view": .string(view), "file": .string(file), "bytes": .integer(Int64(png.count)),
                ]))
        } else {
            try call.console.standardOutput("Saved '\(Text.safe(view))' as \(Text.safe(file)), \(png.count) bytes.\n")
        }
        return .success
    }

    private static let eval = Command(
        name: "eval", arguments: "VIEW JS", summary: "run a script in a view's page and print its value",
        details: """
            The value is printed as JSON, a string without its quotes unless --json is given. '-' reads the script
            from standard input. Put '--' before a script that starts with a dash. JSON: {"value"}.
            """,
        examples: [
            ("relightctl eval lobby document.title", "the page's title"),
            ("relightctl eval lobby 'document.querySelectorAll(\"img\").length'", "a number"),
        ]
    ) { call throws(ToolFailure) in
        var script = call.argument(1)
        if script == "-" { script = try LocalFile.standardInput(limit: Varlink.callLimit / 2) }
        let parameters = Control.EvaluateParameters(view: call.argument(0), script: script)
        try call.call(.evaluate, parameters, as: Control.EvaluateResult.self) { result, _ in
            if case .string(let text) = result.value {
                // Into a pipe it goes as it is, on a terminal only what cannot harm it.
                return (call.console.isOutputTerminal ? Text.safe(text) : text) + "\n"
            }
            let bytes = (try? JSON.encode(result.value)) ?? []
            return Text.safeJSON(String(decoding: bytes, as: UTF8.self)) + "\n"
        }
        return .success
    }
}
