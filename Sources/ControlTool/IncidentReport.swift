// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// One incident with its timeline, for a person.
struct IncidentReport {
    private static let barWidth = 32
    let incident: Control.Incident
    let calendar: (Int64) -> CalendarTime

    func text(_ style: Style) -> String {
        var result = headline(style) + "\n"
        var facts = ["incident \(incident.id)", "pool \(Text.safe(incident.pool))"]
        if let pid = incident.contentPID { facts.append("content PID \(pid)") }
        if let pid = incident.hostPID { facts.append("host PID \(pid)") }
        result += "  " + style.paint(facts.joined(separator: ", "), .dim) + "\n"
        return result + timeline(style)
    }

    private func headline(_ style: Style) -> String {
        let time = Spans.date(incident.openedAt, calendar, milliseconds: true)
        let view = style.paint(Text.safe(incident.view), .bold)
        return "\(time)  \(view)  \(Self.cause(incident.cause)): \(outcome(style))"
    }

    private func outcome(_ style: Style) -> String {
        let attempts = incident.attempts > 1 ? ", \(incident.attempts) attempts" : ""
        let place = incident.path.map { " in \(Self.place($0))" } ?? ""
        guard let closedAt = incident.closedAt, let outcome = incident.outcome else {
            return style.paint("still open", .yellow) + attempts
        }
        let duration = Spans.age(of: incident.openedAt, at: closedAt)
        switch outcome {
        case "recovered": return style.paint("recovered", .green) + "\(place) after \(duration)\(attempts)"
        case "quarantined": return style.paint("quarantined", .red) + " after \(duration)\(attempts)"
        default: return "\(Text.safe(outcome)) after \(duration)\(attempts)"
        }
    }

    /// One line a mark: the step, when it was reached, and a bar from the mark before to this one.
    func timeline(_ style: Style) -> String {
        let names = incident.timeline.map { Self.step($0.step) }
        let times = incident.timeline.map { Spans.milliseconds($0.offset) }
        let nameWidth = names.map(Text.width).max() ?? 0
        let timeWidth = times.map(Text.width).max() ?? 0
        let end = max(incident.timeline.map(\.offset).max() ?? 0, 1)
        var before: Int64 = 0
        var result = ""
        for (index, mark) in incident.timeline.enumerated() {
            let colour: Style.Colour =
                switch mark.step {
                case "verified": .green
                case "failed", "quarantined": .red
                default: .cyan
                }
            let bar = Self.bar(from: before, to: mark.offset, of: end, style)
            let detail = mark.detail.map { "  " + Text.safe($0) } ?? ""
            var line = "  " + Text.pad(names[index], to: nameWidth)
            line += "  " + Text.pad(times[index], to: timeWidth, right: true) + "  "
            let blanks = detail.isEmpty ? 0 : Self.barWidth - Text.width(bar)
            line += style.paint(bar, colour) + String(repeating: " ", count: blanks) + detail
            result += line + "\n"
            before = max(before, mark.offset)
        }
        return result
    }

    /// At least one column wide, so that a step that took no time is seen.
    static func bar(from start: Int64, to end: Int64, of total: Int64, _ style: Style) -> String {
        func column(_ offset: Int64) -> Int {
            let part = Double(min(max(offset, 0), total)) / Double(max(total, 1))
            return Int((part * Double(barWidth)).rounded())
        }
        let first = min(column(min(start, end)), barWidth - 1)
        let last = max(column(end), first + 1)
        return String(repeating: " ", count: first)
            + String(repeating: style.isUnicode ? "━" : "#", count: last - first)
    }

    /// The protocol's cause in words; an unknown one as it came.
    static func cause(_ cause: String) -> String {
        switch cause {
        case "contentCrashed": "content process crashed"
        case "hostExited": "host died"
        case "networkProcessLost": "network process died"
        case "unresponsive": "page hung"
        case "memory": "memory limit reached"
        case "spawnFailed": "host could not be started"
        case "recoveryFailed": "recovery failed"
        default: Text.safe(cause)
        }
    }

    static func place(_ path: String) -> String {
        switch path {
        case "sameHost": "the same host"
        case "standby": "the standby host"
        case "coldHost": "a new host"
        default: Text.safe(path)
        }
    }

    /// "slotBound" as "slot bound".
    static func step(_ step: String) -> String {
        var words = ""
        for character in Text.safe(step) {
            if character.isUppercase && !words.isEmpty { words += " " }
            words += character.lowercased()
        }
        return words
    }
}
