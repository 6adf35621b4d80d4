// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import TestSupport
import Testing
import Wire

/// The built program itself, on pipes and on a terminal.
struct ExecutableTests {
    private static let view = Control.View(
        name: "lobby", pool: "default", state: .ready, url: "https://example.org/", renderer: "webkit", cookies: 2)

    private func relightctl() throws -> String { try DaemonProcess.builtProducts() + "/relightctl" }

    private func withServer(_ body: (String) throws -> Void) throws {
        let server = try FakeControlServer { method, _ in
            method == .list
                ? .result(Control.ListResult(views: [Self.view])) : .failure(.notReady, "not now", remedy: "wait")
        }
        defer { server.stop() }
        try body(server.path)
    }

    @Test func outputAndErrorsGoWhereTheyBelong() throws {
        try withServer { socket in
            let list = try Program.run(relightctl(), ["list"], environment: ["RELIGHT_SOCKET": socket])
            #expect(list.status == 0)
            #expect(list.output.contains("lobby") && !list.output.contains("\u{1B}"))
            #expect(list.error.isEmpty)
            let reload = try Program.run(relightctl(), ["--socket", socket, "reload", "lobby"])
            #expect(reload.status == 1)
            #expect(reload.output.isEmpty)
            #expect(reload.error == "relightctl: not now\n  wait\n")
        }
        #expect(try Program.run(relightctl(), ["--socket", "/nonexistent", "list"]).status == 3)
        #expect(try Program.run(relightctl(), ["lits"]).status == 2)
    }

    @Test func aTerminalGetsColoursUnlessNoColorIsSet() throws {
        try withServer { socket in
            let line = try "\(relightctl()) --socket \(socket) list"
            func onTerminal(_ environment: [String: String]) throws -> String {
                // script(1) runs the program on a pseudo-terminal.
                try Program.run("script", ["-qec", line, "/dev/null"], environment: environment).output
            }
            let terminal = ["TERM": "xterm", "NO_COLOR": ""]
            #expect(try onTerminal(terminal).contains("\u{1B}[32mready\u{1B}[0m"))
            #expect(try !onTerminal(terminal.merging(["NO_COLOR": "1"]) { $1 }).contains("\u{1B}["))
            #expect(try !onTerminal(terminal.merging(["TERM": "dumb"]) { $1 }).contains("\u{1B}["))
        }
    }

    @Test func aFullDiskIsAnErrorAndAClosedPipeIsNot() throws {
        try withServer { socket in
            let full = try Program.run(
                "sh", ["-c", "\"$0\" --socket \"$1\" list > /dev/full", relightctl(), socket])
            #expect(full.status == 5)
            #expect(full.error.contains("No space left on device"))
            let closed = try Program.run("sh", ["-c", "\"$0\" --socket \"$1\" list | true", relightctl(), socket])
            #expect(closed.error.isEmpty)
        }
    }
}
