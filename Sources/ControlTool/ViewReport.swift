// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Wire

/// Views, hosts and cookies, for a person.
enum ViewReport {
    static func colour(_ state: Control.ViewState) -> Style.Colour {
        switch state {
        case .ready: .green
        case .starting, .closing: .cyan
        case .recovering: .yellow
        case .quarantined: .red
        }
    }

    static func list(_ views: [Control.View], at now: UInt64, _ style: Style) -> String {
        guard !views.isEmpty else {
            return "There are no views. Open one with 'relightctl open URL --name NAME', or write a view file.\n"
        }
        var table = Table([
            .init(title: "VIEW"), .init(title: "STATE"), .init(title: "FOR", isRight: true), .init(title: "POOL"),
            .init(title: "CONTENT", isRight: true), .init(title: "INCIDENTS", isRight: true),
            .init(title: "TITLE", isElastic: true), .init(title: "URL", isElastic: true),
        ])
        for view in views {
            table.rows.append([
                .init(Text.safe(view.name), .bold), .init(view.state.rawValue, colour(view.state)),
                .init(Spans.age(of: view.since, at: now)), .init(Text.safe(view.pool)), pid(view.contentPID),
                .init("\(view.incidents)"), .init(Text.safe(view.title)), .init(Text.safe(view.url)),
            ])
        }
        return table.text(style)
    }

    static func status(_ status: Control.StatusResult, socket: String, at now: UInt64, _ style: Style) -> String {
        var result = style.paint("relightd \(Text.safe(status.version))", .bold)
        result += ", PID \(status.pid), up \(Spans.age(of: status.startedAt, at: now)), on \(Text.safe(socket))\n\n"
        result += list(status.views, at: now, style)
        let hosts = self.hosts(status.hosts, style)
        return hosts.isEmpty ? result : result + "\n" + hosts
    }

    static func hosts(_ hosts: [Control.Host], _ style: Style) -> String {
        var table = Table([
            .init(title: "HOST", isRight: true), .init(title: "POOL"), .init(title: "ROLE"), .init(title: "RENDERER"),
            .init(title: "VIEWS", isRight: true), .init(title: "WARM", isRight: true),
            .init(title: "NETWORK", isRight: true), .init(title: "HELPERS"),
        ])
        for host in hosts {
            table.rows.append([
                .init("\(host.pid)"), .init(Text.safe(host.pool)),
                .init(Text.safe(host.role), host.role == "active" ? .green : .plain), .init(Text.safe(host.renderer)),
                .init("\(host.boundSlots)"), .init("\(host.warmSlots)"), pid(host.networkPID),
                .init(host.helperPIDs.map(String.init).joined(separator: " ")),
            ])
        }
        return table.text(style)
    }

    /// Everything about one view.
    static func details(
        _ view: Control.View, hosts: [Control.Host], incident: Control.Incident?, at now: UInt64,
        _ calendar: @escaping (Int64) -> CalendarTime, _ style: Style
    ) -> String {
        var facts: [(String, String)] = [
            (
                "state",
                style.paint(view.state.rawValue, colour(view.state)) + " for \(Spans.age(of: view.since, at: now))"
            ),
            ("url", Text.safe(view.url)),
            ("title", Text.safe(view.title)),
            ("pool", "\(Text.safe(view.pool)), renderer \(Text.safe(view.renderer))"),
        ]
        let processes = [("content", view.contentPID), ("host", view.hostPID), ("network", view.networkPID)]
            .compactMap { name, pid in pid.map { "\(name) \($0)" } }
        facts.append(("processes", processes.isEmpty ? "none" : processes.joined(separator: ", ")))
        if let host = hosts.first(where: { $0.pid == view.hostPID }) {
            let standbys = hosts.count { $0.pool == view.pool && $0.role == "standby" }
            facts.append(
                (
                    "spares",
                    "\(Commands.plural(host.warmSlots, "warm slot")), \(Commands.plural(standbys, "standby host"))"
                ))
        }
        let age = view.snapshotAt.map { "page state saved \(Spans.age(of: $0, at: now)) ago" } ?? "no page state yet"
        facts.append(("snapshot", "\(age), \(view.cookies) cookies"))
        facts.append(("incidents", "\(view.incidents)"))
        var result = style.paint(Text.safe(view.name), .bold) + "\n"
        for (name, value) in facts { result += "  \(Text.pad(name, to: 9))  \(value)\n" }
        if let incident {
            result += "\nThe last incident:\n" + IncidentReport(incident: incident, calendar: calendar).text(style)
        }
        return result
    }

    static func cookies(_ cookies: [Cookie], showValues: Bool, at now: UInt64, _ style: Style) -> String {
        guard !cookies.isEmpty else { return "There are no cookies.\n" }
        var table = Table([
            .init(title: "NAME"), .init(title: "VALUE", isElastic: true), .init(title: "DOMAIN"), .init(title: "PATH"),
            .init(title: "EXPIRES"), .init(title: "FLAGS"),
        ])
        for cookie in cookies {
            let count = cookie.value.utf8.count
            let value = showValues ? Text.safe(cookie.value) : "(\(count) \(count == 1 ? "byte" : "bytes"))"
            var flags = [cookie.isSecure ? "Secure" : nil, cookie.isHTTPOnly ? "HttpOnly" : nil].compactMap { $0 }
            if cookie.sameSite != .unspecified { flags.append("SameSite=\(cookie.sameSite.rawValue)") }
            if let site = cookie.partitionKey { flags.append("Partitioned=\(Text.safe(site))") }
            table.rows.append([
                .init(Text.safe(cookie.name)), .init(value, showValues ? .plain : .dim),
                .init((cookie.isHostOnly ? "" : ".") + Text.safe(cookie.domain)), .init(Text.safe(cookie.path)),
                .init(expiry(cookie, at: now)), .init(flags.joined(separator: " ")),
            ])
        }
        return table.text(style)
    }

    private static func expiry(_ cookie: Cookie, at now: UInt64) -> String {
        guard let expires = cookie.expires else { return "session" }
        let left = expires.subtractingReportingOverflow(Int64(clamping: now / 1_000_000))
        guard !left.overflow, left.partialValue > 0 else { return "expired" }
        let (microseconds, overflow) = left.partialValue.multipliedReportingOverflow(by: 1_000_000)
        return "in " + Spans.text(microseconds: overflow ? .max / 2 : microseconds)
    }

    private static func pid(_ pid: Int32?) -> Table.Cell { pid.map { .init("\($0)") } ?? .init("-", .dim) }
}
