// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import RelightKit
import Wire

/// Cookies, drills, and what happened.
extension Commands {
    static let cookiesList = Command(
        name: "cookies list", arguments: "VIEW", summary: "list the cookies of a view's pool, as they are on disk",
        details: """
            Values are secrets: without --show-values only their lengths are shown, and JSON has null in their place.
            A domain with a dot in front includes its subdomains. JSON: {"cookies": [Cookie]}.
            """,
        options: [Option("--show-values", "show the values too")],
        examples: [
            ("relightctl cookies list lobby", "names, places and lifetimes"),
            ("relightctl cookies list lobby --show-values --json", "everything, for a script"),
        ]
    ) { call throws(ToolFailure) in
        let client = try call.connect()
        let showValues = call.arguments.has("--show-values")
        let parameters = Control.ViewName(view: call.argument(0))
        if call.isJSON {
            let result = try call.reporting { () throws(ControlError) in
                try client.call(.listCookies, parameters, as: JSONValue.self)
            }
            try call.printJSON(showValues ? result : withoutValues(result))
        } else {
            let cookies = try call.reporting { () throws(ControlError) in try client.cookies(view: parameters.view) }
            try call.console.standardOutput(
                ViewReport.cookies(cookies, showValues: showValues, at: call.console.now(), call.style))
        }
        return .success
    }

    static func withoutValues(_ result: JSONValue) -> JSONValue {
        guard case .object(var fields) = result, case .array(let cookies)? = fields["cookies"] else {
            return .object([:])
        }
        fields["cookies"] = .array(
            cookies.map { cookie in
                guard case .object(var attributes) = cookie else { return .null }
                attributes["value"] = .null
                return .object(attributes)
            })
        return .object(fields)
    }

    static let kill = Command(
        name: "kill", arguments: "VIEW", summary: "a drill: kill a process behind a view and see it come back",
        details: """
            Without --host or --network it is the view's content process. STOP makes it hang instead of die.
            JSON: {"pid"}.
            """,
        options: [
            Option("--host", "the host, and with it everything that it runs"),
            Option("--network", "the engine's network process"),
            Option("--signal", short: "s", value: "SIGNAL", "by name or number (KILL)"),
        ],
        examples: [
            ("relightctl kill lobby && relightctl incidents lobby --limit 1", "kill the page, then see the timeline"),
            ("relightctl kill lobby --host", "kill the whole host"),
            ("relightctl kill lobby --signal STOP", "make the page hang"),
        ]
    ) { call throws(ToolFailure) in
        let (host, network) = (call.arguments.has("--host"), call.arguments.has("--network"))
        if host && network { throw .usage("--host and --network exclude each other", "give one of them") }
        var signal: Int32?
        if let text = call.arguments.options["--signal"] {
            signal = Signals.number(text)
            if signal == nil {
                throw .usage(
                    "'\(Text.safe(text))' is no signal",
                    "give a number from 1 to 64 or a name: KILL, TERM, SEGV, STOP, …")
            }
        }
        let target: Control.KillParameters.Target = host ? .host : network ? .network : .content
        let parameters = Control.KillParameters(view: call.argument(0), target: target, signal: signal)
        try call.call(.kill, parameters, as: Control.KillResult.self) { result, _ in
            let what = target == .content ? "content process" : target == .host ? "host" : "network process"
            return
                "Sent \(Signals.name(signal ?? 9)) to the \(what) of '\(Text.safe(parameters.view))', PID \(result.pid).\n"
        }
        return .success
    }

    static let incidents = Command(
        name: "incidents", arguments: "[VIEW]", summary: "show what failed, and how it came back step by step",
        details: """
            The newest comes first. Times count from the first sign of the failure; each bar reaches from the step
            before to its own. The journal has the same under the incident's ID:
            'journalctl RELIGHT_INCIDENT=ID'. JSON: {"incidents": [Incident]}.
            """,
        options: [
            Option("--limit", short: "n", value: "N", "at most so many (10; all with --json)"),
            Option("--id", value: "ID", "only the one whose ID starts so"),
        ],
        examples: [
            ("relightctl incidents lobby --limit 1", "the last one"),
            ("relightctl incidents --json | jq '.incidents[] | [.view, .cause, .outcome]'", "for a script"),
        ]
    ) { call throws(ToolFailure) in
        let limit = try call.arguments.number("--limit")
        let view = call.optionalArgument(0)
        let prefix = call.arguments.options["--id"]?.lowercased() ?? ""
        let client = try call.connect()
        if call.isJSON {
            let result = try call.reporting { () throws(ControlError) in
                try client.call(.incidents, Control.OptionalViewName(view: view), as: JSONValue.self)
            }
            try call.printJSON(selected(result, prefix: prefix, limit: limit))
            return .success
        }
        let all = try call.reporting { () throws(ControlError) in try client.incidents(view: view) }
        let wanted = all.filter { prefix.isEmpty || $0.id.hasPrefix(prefix) }
        let shown = wanted.prefix(limit ?? 10)
        let reports = shown.map { IncidentReport(incident: $0, calendar: call.console.calendar).text(call.style) }
        var text = reports.joined(separator: "\n")
        if shown.isEmpty { text = prefix.isEmpty ? "There were no incidents.\n" : "There is no such incident.\n" }
        if shown.count < wanted.count { text += "\n\(wanted.count - shown.count) older ones: give a larger --limit.\n" }
        try call.console.standardOutput(text)
        return .success
    }

    static func selected(_ result: JSONValue, prefix: String, limit: Int?) -> JSONValue {
        guard case .object(var fields) = result, case .array(let all)? = fields["incidents"] else { return result }
        let wanted = all.filter { prefix.isEmpty || ($0["id"]?.string ?? "").hasPrefix(prefix) }
        fields["incidents"] = .array(Array(wanted.prefix(limit ?? wanted.count)))
        return .object(fields)
    }

    static let events = Command(
        name: "events", arguments: "[VIEW]", summary: "follow what happens, from now on",
        details: """
            One line an event, until it is interrupted; the timeline follows when an incident closes. What happened
            before is in the journal: 'journalctl -u relightd'. JSON: one Event a line.
            """,
        options: [
            Option("--follow", short: "f", "go on until interrupted; also without this, unless --count is given"),
            Option("--count", value: "N", "end after so many events"),
        ],
        examples: [
            ("relightctl events --follow lobby", "one view's events"),
            ("relightctl events --json | jq -r 'select(.kind == \"incidentClosed\") | .incident.id'", "for a script"),
        ]
    ) { call throws(ToolFailure) in
        let count = call.arguments.has("--follow") ? nil : try call.arguments.number("--count")
        let client = try call.connect()
        let subscription = try call.reporting { () throws(ControlError) in
            try client.subscribe(view: call.optionalArgument(0))
        }
        var left = count ?? .max
        while left > 0 {
            left -= 1
            let event = try call.reporting { () throws(ControlError) in try subscription.next() }
            if call.isJSON {
                try call.printJSON(event, oneLine: true)
            } else {
                try call.console.standardOutput(line(event, call))
            }
        }
        return .success
    }

    private static func line(_ event: Control.Event, _ call: Invocation) -> String {
        let style = call.style
        let colour: Style.Colour =
            switch event.kind {
            case "incidentOpened", "hostExited": .yellow
            case "viewQuarantined": .red
            case "incidentClosed", "viewReady": .green
            default: .plain
            }
        let time = Spans.date(event.at, call.console.calendar, milliseconds: true)
        let kind = style.paint(Text.pad(Text.safe(event.kind), to: 15), colour)
        let place = event.view ?? event.pool.map { "pool \($0)" } ?? "-"
        var text = "\(time)  \(kind)  \(Text.pad(Text.safe(place), to: 10))  \(Text.safe(event.message))\n"
        if event.kind == "incidentClosed", let incident = event.incident {
            text += IncidentReport(incident: incident, calendar: call.console.calendar).timeline(style)
        }
        return text
    }
}
