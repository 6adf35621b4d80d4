// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Foundation
import RelightKit
import Testing
import Wire

@testable import ControlTool

/// Commands from their command line to what they print, against a scripted server on a real socket.
struct CommandTests {
    private static let view = Control.View(
        name: "lobby", pool: "default", state: .ready, url: "https://example.org/", title: "Hi\u{1B}[2J 日本",
        renderer: "webkit", slot: 2, hostPID: 800, contentPID: 812, networkPID: 805, incidents: 1,
        since: ScriptedConsole.now - 192_000_000, snapshotAt: ScriptedConsole.now - 400_000, cookies: 2)
    private static let incident = Control.Incident(
        id: "0123456789abcdef0123456789abcdef", view: "lobby", pool: "default", cause: "contentCrashed",
        openedAt: ScriptedConsole.now - 200_000_000, closedAt: ScriptedConsole.now - 199_951_000, outcome: "recovered",
        path: "sameHost", hostPID: 800, contentPID: 799, attempts: 1,
        timeline: [
            .init(step: "died", offset: 0), .init(step: "detected", offset: 16_000, detail: "signal 9"),
            .init(step: "slotBound", offset: 16_200), .init(step: "firstPaint", offset: 43_000),
            .init(step: "verified", offset: 49_000),
        ])
    private static let cookies = [
        Cookie(name: "sid", value: "secret-value", domain: "example.org", isSecure: true, isHTTPOnly: true),
        Cookie(
            name: "theme", value: "dark", domain: "example.org", isHostOnly: false, path: "/app",
            expires: Int64(ScriptedConsole.now / 1_000_000) + 7_200, sameSite: .lax),
    ]

    private static let answers: FakeControlServer.Handler = { method, parameters in
        if let name = parameters["view"]?.string, name != "lobby", method != .open {
            return .failure(.viewNotFound, "there is no view '\(name)'", remedy: "there are: lobby")
        }
        return switch method {
        case .list: .result(Control.ListResult(views: [view]))
        case .status:
            .result(
                Control.StatusResult(
                    version: "0.1.0", pid: 700, startedAt: ScriptedConsole.now - 7_500_000_000, views: [view],
                    hosts: [
                        .init(
                            pid: 800, pool: "default", renderer: "webkit", role: "active", warmSlots: 1, boundSlots: 1,
                            networkPID: 805, helperPIDs: [801, 802]),
                        .init(
                            pid: 820, pool: "default", renderer: "webkit", role: "standby", warmSlots: 1, boundSlots: 0),
                    ]))
        case .open, .close, .load, .reload: .done
        case .snapshot: .result(Control.SnapshotResult(cookies: 2, snapshotAt: ScriptedConsole.now))
        case .screenshot: .result(Control.ScreenshotResult(png: "iVBORw0KGgo="))
        case .evaluate:
            .result(
                Control.EvaluateResult(
                    value: parameters["script"] == .string("title")
                        ? .string("a\u{1B}b") : .array([.integer(1), .null])))
        case .listCookies: .result(Control.CookiesResult(cookies: cookies))
        case .kill: .result(Control.KillResult(pid: 812))
        case .incidents: .result(Control.IncidentsResult(incidents: [incident, incident]))
        case .events:
            .hangUp(
                after: [
                    Control.Event(kind: "subscribed", at: ScriptedConsole.now, message: "events follow"),
                    Control.Event(
                        kind: "incidentOpened", at: ScriptedConsole.now, view: "lobby", message: "lobby\nfailed"),
                    Control.Event(
                        kind: "incidentClosed", at: ScriptedConsole.now + 49_000, view: "lobby", message: "it is back",
                        incident: incident),
                ].map { (try? VarlinkService.success(Control.EventResult(event: $0), continues: true)) ?? [] })
        }
    }

    private func run(_ words: [String], terminal: Int? = nil) throws -> (exit: ExitCode, output: String, error: String)
    {
        let server = try FakeControlServer(Self.answers)
        defer { server.stop() }
        let scripted = ScriptedConsole()
        let exit = ControlTool.run(["--socket", server.path] + words, console: scripted.console(terminal: terminal))
        return (exit, scripted.output, scripted.error)
    }

    @Test func listAlignsByWidthAndEscapesTitles() throws {
        #expect(
            try run(["list"]).output == #"""
                VIEW   STATE         FOR  POOL     CONTENT  INCIDENTS  TITLE             URL
                lobby  ready  3 min 12 s  default      812          1  Hi\u{1b}[2J 日本  https://example.org/

                """#)
    }

    @Test func statusShowsEverythingOrOneView() throws {
        let all = try run(["status"]).output
        #expect(all.hasPrefix("relightd 0.1.0, PID 700, up 2 h 5 min, on /"))
        #expect(all.contains("\nHOST  POOL     ROLE     RENDERER  VIEWS  WARM  NETWORK  HELPERS\n"))
        #expect(all.contains("\n 800  default  active   webkit        1     1      805  801 802\n"))
        let one = try run(["status", "lobby"]).output
        #expect(one.hasPrefix("lobby\n  state      ready for 3 min 12 s\n"))
        #expect(one.contains("\n  processes  content 812, host 800, network 805\n"))
        #expect(one.contains("\n  spares     1 warm slot, 1 standby host\n"))
        #expect(one.contains("\n  snapshot   page state saved 400 ms ago, 2 cookies\n"))
        #expect(one.contains("\nIn the journal:\n  2026-07-30 11:59:59  lobby failed\\u{1b}[2J\n"))
        #expect(one.contains("recovered in the same host after 49 ms"))
        #expect(try run(["status", "lobby"], terminal: 80).output.contains("\u{1B}[32mready\u{1B}[0m"))
    }

    @Test func incidentsAreTimelines() throws {
        let text = try run(["incidents", "lobby", "--limit", "1"]).output
        #expect(
            text == """
                2026-07-30 11:56:40.000  lobby  content process crashed: recovered in the same host after 49 ms
                  incident 0123456789abcdef0123456789abcdef, pool default, content PID 799, host PID 800
                  died          0 ms  ━
                  detected     16 ms  ━━━━━━━━━━                        signal 9
                  slot bound   16 ms            ━
                  first paint  43 ms             ━━━━━━━━━━━━━━━━━
                  verified     49 ms                              ━━━━

                1 older ones: give a larger --limit.

                """)
        #expect(try run(["incidents", "--id", "FF"]).output == "There is no such incident.\n")
        let json = try JSON.decode(
            JSONValue.self, from: Array(try run(["incidents", "--json", "-n", "1"]).output.utf8))
        guard case .array(let incidents)? = json["incidents"] else { throw FrameError(.malformed, "no incidents") }
        #expect(try incidents.map { try $0.decoded(as: Control.Incident.self) } == [Self.incident])
    }

    @Test func cookieValuesShowOnlyWhenAskedFor() throws {
        let masked = try run(["cookies", "list", "lobby"]).output
        #expect(
            masked == """
                NAME   VALUE       DOMAIN        PATH  EXPIRES  FLAGS
                sid    (12 bytes)  example.org   /     session  Secure HttpOnly
                theme  (4 bytes)   .example.org  /app  in 2 h   SameSite=lax

                """)
        #expect(try run(["cookies", "list", "lobby", "--show-values"]).output.contains("secret-value"))
        let json = try run(["cookies", "list", "lobby", "--json"]).output
        #expect(!json.contains("secret-value") && json.contains(#""value":null"#))
        #expect(try run(["cookies", "list", "lobby", "--json", "--show-values"]).output.contains("secret-value"))
    }

    @Test func screenshotReplacesAFileInOneStep() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "relight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "a.png")
        try Data([1]).write(to: file)
        let result = try run(["screenshot", "lobby", file.path, "--json"])
        #expect(result.output == #"{"bytes":8,"file":"\#(file.path)","view":"lobby"}"# + "\n")
        #expect(try Data(contentsOf: file) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a.png"])
        let bad = try run(["screenshot", "lobby", directory.appending(path: "no/a.png").path])
        #expect(bad.exit == .local)
        #expect(bad.error.contains("No such file or directory"))
        #expect(try run(["screenshot", "lobby", "-"], terminal: 80).exit == .usage)
    }

    @Test func scriptsPrintTheirValue() throws {
        #expect(try run(["eval", "lobby", "title"]).output == "a\u{1B}b\n")
        #expect(try run(["eval", "lobby", "title"], terminal: 80).output == "a\\u{1b}b\n")
        #expect(try run(["eval", "lobby", "--", "-1"]).output == "[1,null]\n")
        #expect(try run(["eval", "lobby", "x", "--json"]).output == #"{"value":[1,null]}"# + "\n")
    }

    @Test func doingThingsSaysSoAndAnswersAnEmptyObjectAsJSON() throws {
        #expect(try run(["open", "https://a/", "--name", "new"]).output == "Opened 'new'.\n")
        for words in [["close", "lobby"], ["load", "lobby", "https://b/"], ["reload", "lobby"]] {
            #expect(try run(words).output.contains("'lobby'"))
            #expect(try run(words + ["--json"]).output == "{}\n")
        }
        #expect(
            try run(["snapshot", "lobby"]).output == "On disk: 2 cookies, page state of 2026-07-30 12:00:00.000.\n")
        #expect(
            try run(["kill", "lobby", "--host", "-s", "term"]).output
                == "Sent SIGTERM to the host of 'lobby', PID 812.\n")
        #expect(try run(["kill", "lobby", "--json"]).output == #"{"pid":812}"# + "\n")
    }

    @Test func eventsAreLinesUntilRelightdGoes() throws {
        let followed = try run(["events", "--follow", "lobby"])
        let lines = followed.output.split(separator: "\n")
        #expect(lines.first == #"2026-07-30 12:00:00.000  incidentOpened   lobby       lobby\nfailed"#)
        #expect(lines.count == 7)
        #expect(followed.exit == .unreachable)
        #expect(followed.error.contains("relightd hung up"))
        let one = try run(["events", "--count", "1", "--json"])
        #expect(one.exit == .success)
        #expect(one.output.split(separator: "\n").count == 1)
        #expect(try JSON.decode(Control.Event.self, from: Array(one.output.utf8)).kind == "incidentOpened")
    }

    @Test func failuresSayWhatToDoNextAndHaveStableNames() throws {
        let result = try run(["reload", "loby"])
        #expect(result.exit == .failed)
        #expect(result.output.isEmpty)
        #expect(result.error == "relightctl: there is no view 'loby'\n  there are: lobby\n")
        #expect(
            try run(["reload", "loby", "--json"]).error
                == #"{"error":"io.relight.ViewNotFound","message":"there is no view 'loby'","remedy":"there are: lobby"}"#
                + "\n")
    }

    @Test(arguments: Control.Method.allCases)
    func jsonIsTheResultOfTheProtocolAsItCame(_ method: Control.Method) throws {
        let words: [Control.Method: [String]] = [
            .list: ["list"], .status: ["status"], .snapshot: ["snapshot", "lobby"], .incidents: ["incidents"],
            .listCookies: ["cookies", "list", "lobby", "--show-values"], .kill: ["kill", "lobby"],
            .evaluate: ["eval", "lobby", "x"],
        ]
        guard let line = words[method] else { return }
        let server = try FakeControlServer(Self.answers)
        defer { server.stop() }
        let client = try ControlClient(path: server.path)
        var parameters: [String: JSONValue] = line.contains("lobby") ? ["view": .string("lobby")] : [:]
        if method == .kill { parameters["target"] = .string("content") }
        if method == .evaluate { parameters["script"] = .string("x") }
        let expected = try client.call(method, parameters, as: JSONValue.self)
        let printed = try run(line + ["--json"]).output
        #expect(try JSON.decode(JSONValue.self, from: Array(printed.utf8)) == expected)
    }
}
