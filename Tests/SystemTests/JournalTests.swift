// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Systemd
import TestSupport
import Testing
import Wire

extension UnderSystemd {
    private static let secret = "0nly-the-page-may-see-this"

    /// What an operator finds with journalctl after a view has failed.
    @Test func theJournalTellsOfAnIncident() throws {
        let service = try Service([
            "relight.conf": "[Relight]\nLogLevel=debug\n",
            "pools/kiosk.pool": Service.pool("cookie-every=200ms"),
            "views/lobby.view": "[View]\nURL=http://fake.test/\nPool=kiosk\n",
            "views/hall.view": "[View]\nURL=http://fake.test/hall\nPool=kiosk\n",
        ])
        try service.start(views: 2)
        try service.evaluate("set cookie login=\(Self.secret)")
        try service.evaluate("type #name \(Self.secret)")
        try service.control("snapshot lobby")
        let view = try service.view()
        try service.control("kill lobby")
        let incident = try service.closedIncident()

        // The unit's entries of one view, without those of the other.
        let entries = try service.journal("RELIGHT_VIEW=lobby")
        #expect(entries.allSatisfy { $0["RELIGHT_VIEW"] == "lobby" && $0["RELIGHT_POOL"] == "kiosk" })
        #expect(entries.contains { $0["MESSAGE_ID"] == MessageID.viewReady.rawValue })
        #expect(try !service.journal("RELIGHT_VIEW=hall").isEmpty)

        let opened = try #require(entries.first { $0["MESSAGE_ID"] == MessageID.incidentOpened.rawValue })
        #expect(opened["PRIORITY"] == "4")
        #expect(opened["RELIGHT_INCIDENT"] == incident.id)
        #expect(opened["RELIGHT_CAUSE"] == "contentCrashed")

        // One closing entry holds the whole timeline.
        let closed = try service.entry(
            "the closing entry", "MESSAGE_ID=\(MessageID.incidentClosed.rawValue) RELIGHT_INCIDENT=\(incident.id)")
        #expect(closed["PRIORITY"] == "5")
        #expect(closed["RELIGHT_VIEW"] == "lobby")
        #expect(closed["RELIGHT_POOL"] == "kiosk")
        #expect(closed["RELIGHT_CAUSE"] == "contentCrashed")
        #expect(closed["RELIGHT_OUTCOME"] == "recovered")
        #expect(closed["RELIGHT_HOST_PID"] == view.hostPID.map(String.init))
        #expect(closed["RELIGHT_CONTENT_PID"] == view.contentPID.map(String.init))
        #expect(closed["RELIGHT_ATTEMPTS"] == "1")
        let steps = ["DETECTED", "SLOT_BOUND", "STATE_IN", "LOAD_STARTED", "FIRST_PAINT", "VERIFIED"]
        let times = steps.compactMap { closed["RELIGHT_\($0)_USEC"].flatMap { Int($0) } }
        #expect(times.count == steps.count)
        #expect(times == times.sorted())
        #expect(closed["RELIGHT_DURATION_USEC"].flatMap { Int($0) } ?? 0 >= times.last ?? .max)
        // It is the service's own, whatever the message says.
        #expect(closed["_SYSTEMD_UNIT"] == "relightd.service")
        #expect(closed["_PID"] == "\(try service.mainPID())")
        #expect(closed["SYSLOG_IDENTIFIER"] == "relightd")

        // relightctl reads the same entries.
        #expect(try service.control("status lobby").contains("In the journal:"))
        #expect(try service.control("incidents lobby").contains("content"))
    }

    /// `journalctl -x`: each kind of entry is explained, with its view in the text.
    @Test func theCatalogExplains() throws {
        let service = try Service([
            "pools/default.pool": Service.pool(), "views/lobby.view": "[View]\nURL=http://fake.test/\n",
        ])
        try service.start()
        try service.control("kill lobby --host")
        let incident = try service.closedIncident()
        let text = try service.sandbox.check(
            "journalctl --sync; journalctl -x --no-pager RELIGHT_INCIDENT=\(incident.id)")
        #expect(text.contains("Subject: View lobby has failed"))
        #expect(text.contains("Subject: Incident \(incident.id) of view lobby is over"))
        #expect(text.contains("Defined-By: Relight"))
        #expect(text.contains("The view lobby had failed (hostExited)"))

        // Whatever has an ID has an explanation, in which every variable is known.
        let listed = try service.sandbox.check("journalctl --list-catalog")
        for id in MessageID.allCases { #expect(listed.contains(id.rawValue), "\(id) is not in the catalog") }
        let all = try service.sandbox.check("journalctl -x --no-pager --unit relightd --identifier relightd --boot")
        let unknown = all.split(separator: "\n").filter { $0.hasPrefix("░░") && $0.contains("@RELIGHT_") }
        #expect(unknown.isEmpty, "the entries have no value for \(unknown)")
    }

    /// Cookie values and form input are nowhere in the journal, whatever the log level. The values are those of
    /// `theJournalTellsOfAnIncident`; here they are looked for again after a crash that put them back.
    @Test func noSecretReachesTheJournal() throws {
        let service = try Service([
            "relight.conf": "[Relight]\nLogLevel=debug\n", "pools/default.pool": Service.pool(),
            "views/lobby.view": "[View]\nURL=http://fake.test/\n",
        ])
        try service.start()
        try service.evaluate("set cookie login=\(Self.secret)")
        try service.evaluate("type #name \(Self.secret)")
        try service.control("snapshot lobby")
        for target in ["", "--host", "--network"] {
            try service.waitUntilSettled()
            let count = try service.incidents().count
            try service.control("kill lobby \(target)")
            try eventually("the incident is over") {
                let incidents = try service.incidents()
                return incidents.count > count && incidents.allSatisfy { $0.closedAt != nil } ? true : nil
            }
        }
        try service.waitUntilReady()
        #expect(try service.evaluate("document.cookie").contains(Self.secret))
        #expect(try service.evaluate("state").contains(Self.secret))
        try service.sandbox.check("systemctl restart relightd")
        try service.waitUntilReady()

        let found = try service.sandbox.run(
            """
            journalctl --sync
            journalctl --output export >/tmp/journal
            grep --count --text 'view lobby' /tmp/journal
            ! grep --text \(quoted(Self.secret)) /tmp/journal
            """)
        #expect(found.status == 0, "\(found.output)")
        #expect(Int(found.output.prefix { $0 != "\n" }) ?? 0 > 0)
    }
}
