// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Platform
import TestSupport
import Testing
import Wire

/// A stock Varlink client (PyPI's `varlink`), which knows of Relight only what the socket tells it.
///
/// It is fetched into a virtual environment of the test's own. Where there is no network, RELIGHT_OFFLINE=1 leaves the
/// test out.
struct StockVarlinkTests {
    @Test(.enabled(if: Environment.current()["RELIGHT_OFFLINE"] == nil, "RELIGHT_OFFLINE is set"))
    func listsViewsCallsMethodsAndFollowsEvents() throws {
        let directory = try TestDirectory()
        let python = directory.path + "/venv/bin/python"
        let venv = try Program.run("python3", ["-m", "venv", directory.path + "/venv"], seconds: 180)
        try #require(venv.status == 0, "python3 -m venv failed (Debian: python3-venv): \(venv.output)\(venv.error)")
        let pip = try Program.run(
            python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "varlink==31.0.0"], seconds: 180)
        try #require(pip.status == 0, "pip failed; RELIGHT_OFFLINE=1 leaves this test out: \(pip.error)")

        let view = Control.View(name: "lobby", pool: "default", state: .ready, url: "https://a/", renderer: "webkit")
        let server = try FakeControlServer { method, parameters in
            switch method {
            case .list: .result(Control.ListResult(views: [view]))
            case .status:
                .result(
                    Control.StatusResult(
                        version: "1", pid: 7, startedAt: 1, views: [view],
                        hosts: [
                            .init(
                                pid: 8, pool: "default", renderer: "webkit", role: "active", warmSlots: 1, boundSlots: 1
                            )
                        ]))
            case .events:
                .frames([
                    (try? VarlinkService.success(
                        Control.EventResult(event: .init(kind: "subscribed", at: 1, message: "events follow")),
                        continues: true)) ?? []
                ])
            default: .failure(.viewNotFound, "there is no such view", remedy: "there are: lobby")
            }
        }
        defer { server.stop() }
        let script =
            "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
            + "/SystemTests/stock-varlink-client.py"
        let client = try Program.run(python, [script, server.path])
        #expect(client.status == 0, "\(client.error)")
        let seen = try JSON.decode(JSONValue.self, from: Array(client.output.utf8))
        #expect(seen["views"] == .array([.string("lobby")]))
        #expect(seen["interfaces"] == .array([.string("io.relight"), .string("org.varlink.service")]))
        #expect(seen["error"] == .string("io.relight.ViewNotFound"))
        #expect(seen["parameters"] == .array([.string("message"), .string("remedy")]))
        #expect(seen["firstEvent"] == .string("subscribed"))
        guard case .array(let members)? = seen["members"] else { throw FrameError(.malformed, "no members") }
        #expect(Set(members.compactMap(\.string)).isSuperset(of: Control.Method.allCases.map(\.rawValue)))
        #expect(Set(members.compactMap(\.string)).isSuperset(of: Control.Failure.allCases.map(\.rawValue)))
    }
}
