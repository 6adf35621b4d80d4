// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import RelightKit
import Wire

extension Commands {
    /// What there is, and which views are kept.
    static let viewCommands = [list, status, open, close]

    private static let list = Command(
        name: "list", summary: "list all views",
        details: """
            FOR says how long the view has been in its state, CONTENT is the PID of its content process,
            INCIDENTS counts its failures since relightd started. JSON: {"views": [View]}.
            """,
        examples: [
            ("relightctl list", "all views, one a line"),
            ("relightctl list --json | jq -r '.views[] | select(.state != \"ready\") | .name'", "views in trouble"),
        ]
    ) { call throws(ToolFailure) in
        try call.call(.list, [String: String](), as: Control.ListResult.self) { result, _ in
            ViewReport.list(result.views, at: call.console.now(), call.style)
        }
        return .success
    }

    private static let status = Command(
        name: "status", arguments: "[VIEW]", summary: "show relightd, its views and hosts, or one view in full",
        details: """
            With VIEW: its page, processes, spares and snapshot, its last incident, and its last lines in the
            journal. JSON: {"version", "pid", "startedAt", "views": [View], "hosts": [Host]}.
            """,
        options: [Option("--lines", value: "N", "so many lines of the journal (5)")],
        examples: [
            ("relightctl status", "everything at a glance"),
            ("relightctl status lobby", "all about one view"),
            ("relightctl status lobby --json | jq '.views[0].contentPID'", "the PID of its content process"),
        ]
    ) { call throws(ToolFailure) in
        let name = call.optionalArgument(0)
        let lines = try call.arguments.number("--lines") ?? 5
        try call.call(.status, Control.OptionalViewName(view: name), as: Control.StatusResult.self) {
            (status, client) throws(ToolFailure) in
            guard let name, let view = status.views.first(where: { $0.name == name }) else {
                return ViewReport.status(status, socket: call.socket, at: call.console.now(), call.style)
            }
            let incidents = try call.reporting { () throws(ControlError) in try client.incidents(view: name) }
            let (now, style) = (call.console.now(), call.style)
            return ViewReport.details(
                view, hosts: status.hosts, incident: incidents.first, at: now, call.console.calendar, style)
                + journal(of: name, lines: lines, call)
        }
        return .success
    }

    private static func journal(of view: String, lines: Int, _ call: Invocation) -> String {
        let entries = call.console.journal(view, lines)
        guard !entries.isEmpty else { return "" }
        return entries.reduce("\nIn the journal:\n") { text, entry in
            let time = Spans.date(entry.time, call.console.calendar)
            let colour: Style.Colour = entry.priority <= 3 ? .red : entry.priority == 4 ? .yellow : .plain
            return text + "  \(time)  \(call.style.paint(Text.safe(entry.message), colour))\n"
        }
    }

    private static let open = Command(
        name: "open", arguments: "URL", needed: "--name NAME",
        summary: "open a view that lasts until it is closed or relightd stops",
        details: "A view that shall come back after a restart of relightd gets a view file instead. JSON: {}.",
        options: [
            Option("--name", value: "NAME", "the view's name"),
            Option("--pool", value: "POOL", "the pool that it joins (default)"),
        ],
        examples: [
            ("relightctl open https://example.org/board --name lobby", "a view in the default pool"),
            ("relightctl open https://example.org/ --name shop --pool till", "one in another pool"),
        ]
    ) { call throws(ToolFailure) in
        guard let name = call.arguments.options["--name"] else {
            throw .usage("the view needs a name", "add --name NAME, for example --name lobby")
        }
        let parameters = Control.OpenParameters(
            view: name, url: call.argument(0), pool: call.arguments.options["--pool"])
        try call.call(.open, parameters, done: "Opened '\(Text.safe(name))'.")
        return .success
    }

    private static let close = Command(
        name: "close", arguments: "VIEW", summary: "close a view and forget its page state",
        details: "The pool's cookies and storage stay. A view with a file is there again after a reload. JSON: {}.",
        examples: [("relightctl close lobby", "the view is gone")]
    ) { call throws(ToolFailure) in
        let name = call.argument(0)
        try call.call(.close, Control.ViewName(view: name), done: "Closed '\(Text.safe(name))'.")
        return .success
    }
}
