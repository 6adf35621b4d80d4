// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import TestSupport
import Wire

/// relightd.service and relightd.socket in the sandbox, for one test: as freshly installed at the start.
struct Service {
    let sandbox: Sandbox
    /// The entry with which the test began. It is none of the unit's, so `--cursor` leaves it out where only the unit's
    /// are asked for; `--after-cursor` would leave out one more (systemd 252).
    private let cursor: String

    /// Stops and forgets what the test before has left, and writes the configuration.
    ///
    /// - Parameters:
    ///   - files: the configuration, by name below /etc/relight.
    ///   - dropIn: lines of `[Service]` that stand beside those of the unit.
    /// - Throws: if there is no sandbox, or something in it fails.
    init(_ files: [String: String], dropIn: String = "") throws {
        sandbox = try Sandbox.shared()
        cursor = try sandbox.check(
            """
            systemctl stop relightd.socket relightd.service
            systemctl reset-failed
            rm -rf /etc/relight /var/lib/relight /var/cache/relight /run/relight /etc/systemd/system/relightd.service.d
            systemd-tmpfiles --create relight.conf
            echo "a test begins" | systemd-cat
            journalctl --sync
            journalctl --lines 1 --show-cursor | sed -n 's/^-- cursor: //p'
            """)
        try configure(files)
        if !dropIn.isEmpty {
            try sandbox.write("[Service]\n" + dropIn, to: "/etc/systemd/system/relightd.service.d/50-test.conf")
        }
        try sandbox.check("systemctl daemon-reload")
    }

    /// A pool of scripted hosts.
    static func pool(_ script: String = "", _ settings: String = "") -> String {
        "[Pool]\nRenderer=\(Installation.fake)\nEnvironment=RELIGHT_FAKE_SCRIPT=\(script)\n\(settings)"
    }

    /// Writes files of the configuration, as root would.
    func configure(_ files: [String: String]) throws {
        for (name, text) in files { try sandbox.write(text, to: "/etc/relight/" + name) }
        // The group is relightd's, and others are shut out: see Units/relight.tmpfiles.
        try sandbox.check("chgrp -R relight /etc/relight; chmod -R u=rwX,g=rX,o= /etc/relight")
    }

    /// Starts it and waits until so many views are shown.
    func start(views: Int = 1) throws {
        try sandbox.check("systemctl start relightd")
        try waitUntilReady(views)
    }

    func waitUntilReady(_ count: Int = 1, seconds: Double = 30) throws {
        try eventually("\(count) views are ready", seconds: seconds) {
            try list().count { $0.state == .ready } == count ? true : nil
        }
    }

    /// Waits until a view's next failure begins a new ladder: one within a second of a recovery continues the old one,
    /// and its third step gives the page's state up.
    func waitUntilSettled(_ name: String = "lobby", seconds: Double = 30) throws {
        try eventually("the view has been shown for a while", seconds: seconds) {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let view = try view(name)
            let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec / 1000)
            return view.state == .ready && microseconds > view.since + 1_200_000 ? true : nil
        }
    }

    // MARK: - Asking

    /// A property that `systemctl show` knows.
    func property(_ name: String, of unit: String = "relightd.service") throws -> String {
        try sandbox.check("systemctl show --property \(name) --value \(unit)")
    }

    func mainPID() throws -> Int32 {
        let text = try property("MainPID")
        guard let pid = Int32(text), pid > 0 else { throw Sandbox.Failure(description: "there is no main process") }
        return pid
    }

    /// Waits for another main process than the one given.
    func mainPID(after old: Int32) throws -> Int32 {
        try eventually("systemd has restarted relightd") {
            let pid = try? mainPID()
            return pid == old ? nil : pid
        }
    }

    /// What relightctl prints.
    @discardableResult
    func control(_ command: String) throws -> String { try sandbox.check("relightctl \(command)") }

    func list() throws -> [Control.View] {
        try JSON.decode(Control.ListResult.self, from: Array(control("--json list").utf8)).views
    }

    func view(_ name: String = "lobby") throws -> Control.View {
        guard let view = try list().first(where: { $0.name == name }) else {
            throw Sandbox.Failure(description: "there is no view '\(name)'")
        }
        return view
    }

    func status() throws -> Control.StatusResult {
        try JSON.decode(Control.StatusResult.self, from: Array(control("--json status").utf8))
    }

    func incidents() throws -> [Control.Incident] {
        try JSON.decode(Control.IncidentsResult.self, from: Array(control("--json incidents").utf8)).incidents
    }

    /// The newest incident, once it is closed.
    func closedIncident() throws -> Control.Incident {
        try eventually("an incident is closed") { try incidents().first { $0.closedAt != nil } }
    }

    /// Evaluates a script in a page of the scripted host, or of an engine; the value as JSON.
    @discardableResult
    func evaluate(_ script: String, in view: String = "lobby") throws -> String {
        try control("--json eval \(view) \(quoted(script))")
    }

    /// Everything of relightd's user: PID and command line, a process a line.
    func processes() throws -> [(pid: Int32, command: String)] {
        try sandbox.check("pgrep --list-full --uid relight || true").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let pid = Int32(parts[0]) else { return nil }
            return (pid, String(parts[1]))
        }
    }

    func hostProcesses() throws -> [Int32] {
        try processes().filter { $0.command.hasPrefix(Installation.fake) }.map(\.pid)
    }

    /// The unit's directory in the version 2 hierarchy, which alone has cgroup.kill; systemd's hybrid layout mounts it
    /// beside those of version 1.
    func controlGroup() throws -> String {
        let group = try property("ControlGroup")
        return try sandbox.check("test -d /sys/fs/cgroup/unified && echo /sys/fs/cgroup/unified || echo /sys/fs/cgroup")
            + group
    }

    /// The processes of a cgroup, without those of the ones below it.
    func members(ofGroup path: String) throws -> [Int32] {
        try sandbox.check("cat \(quoted(path))/cgroup.procs").split(separator: "\n").compactMap { Int32($0) }
    }

    // MARK: - The journal

    /// One journal entry, as `journalctl -o json` has it.
    struct Entry {
        let fields: JSONValue
        subscript(field: String) -> String? { fields[field]?.string }
        var message: String { self["MESSAGE"] ?? "" }
    }

    /// The unit's entries since the test began that match.
    func journal(_ matches: String = "") throws -> [Entry] {
        let arguments = "--unit relightd --output json --cursor \(quoted(cursor)) \(matches)"
        return try sandbox.check("journalctl --sync; journalctl --quiet --no-pager \(arguments)").split(separator: "\n")
            .map {
                Entry(fields: try JSON.decode(JSONValue.self, from: Array($0.utf8)))
            }
    }

    /// Waits for an entry that matches.
    func entry(_ what: String, _ matches: String, where condition: (Entry) -> Bool = { _ in true }) throws -> Entry {
        try eventually(what) { try journal(matches).first(where: condition) }
    }

    /// The messages since the test began, for people.
    func messages() throws -> String {
        try sandbox.check("journalctl --sync; journalctl --no-pager --unit relightd --cursor \(quoted(cursor))")
    }
}
