// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Foundation
import Glibc
import Platform
import Testing
import Wire

@testable import RelightKit

struct ControlClientTests {
    private func withServer(
        _ handler: @escaping FakeControlServer.Handler, _ body: (FakeControlServer, ControlClient) throws -> Void
    ) throws {
        let server = try FakeControlServer(handler)
        defer { server.stop() }
        try body(server, try ControlClient(path: server.path, timeout: .seconds(20)))
    }

    @Test func everyMethodGoesOutWithItsParametersAndComesBackWithItsResult() throws {
        let view = Control.View(name: "lobby", pool: "default", state: .ready, url: "https://a/", renderer: "webkit")
        let cookie = Cookie(name: "sid", value: "s\"\\\u{e9}", domain: "a.example", expires: 7, isHTTPOnly: true)
        let incident = Control.Incident(id: "ab", view: "lobby", pool: "default", cause: "hostExited", openedAt: 1)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0, 255]
        try withServer { method, parameters in
            if method != .list, parameters["view"] != .string("lobby") {
                return .failure(.viewNotFound, "which view?", remedy: "")
            }
            return switch method {
            case .list: .result(Control.ListResult(views: [view]))
            case .status:
                .result(Control.StatusResult(version: "9", pid: 1, startedAt: 2, views: [view], hosts: []))
            case .open where parameters["url"]?.string == "https://b/" && parameters["pool"]?.string == "p": .done
            case .load where parameters["url"]?.string == "https://b/": .done
            case .close, .reload: .done
            case .snapshot: .result(Control.SnapshotResult(cookies: 3, snapshotAt: 4))
            case .screenshot: .result(Control.ScreenshotResult(png: Data(png).base64EncodedString()))
            case .evaluate: .result(Control.EvaluateResult(value: parameters["script"] ?? .null))
            case .listCookies: .result(Control.CookiesResult(cookies: [cookie]))
            case .kill where parameters["target"]?.string == "network" && parameters["signal"]?.integer == 15:
                .result(Control.KillResult(pid: 77))
            case .incidents: .result(Control.IncidentsResult(incidents: [incident]))
            default: .failure(.invalidArgument, "unexpected", remedy: "")
            }
        } _: { (server, client) throws in
            #expect(try client.list() == [view])
            #expect(try client.status(view: "lobby").views == [view])
            try client.open(view: "lobby", url: "https://b/", pool: "p")
            try client.close(view: "lobby")
            try client.load(view: "lobby", url: "https://b/")
            try client.reload(view: "lobby")
            #expect(try client.snapshot(view: "lobby").snapshotAt == 4)
            #expect(try client.screenshot(view: "lobby") == png)
            #expect(try client.evaluate(view: "lobby", script: "1 + 1") == .string("1 + 1"))
            #expect(try client.cookies(view: "lobby") == [cookie])
            #expect(try client.kill(view: "lobby", target: .network, signal: 15) == 77)
            #expect(try client.incidents(view: "lobby") == [incident])
            #expect(try client.information()["version"] == .string("9.9"))
            #expect(Set(server.calls) == Set(Control.Method.allCases).subtracting([.events]))
        }
    }

    @Test func aFailureKeepsItsMessageAndRemedyAndTheConnectionLives() throws {
        try withServer { method, _ in
            method == .list
                ? .result(Control.ListResult(views: [])) : .failure(.viewNotFound, "no view 'x'", remedy: "y")
        } _: { (_, client) throws in
            let error = #expect(throws: ControlError.self) { try client.reload(view: "x") }
            #expect(error?.code == .failure(.viewNotFound))
            #expect(error?.description == "no view 'x'; y")
            #expect(try client.list() == [])
        }
    }

    @Test func eventsComeInOrderUntilTheCallerHasEnough() throws {
        let frames = try (0...5).map { number in
            let event = Control.Event(kind: "navigated", at: UInt64(number), view: "lobby", message: "to \(number)")
            return try VarlinkService.success(Control.EventResult(event: event), continues: true)
        }
        try withServer { _, _ in
            .frames(frames)
        } _: { (_, client) throws in
            var times: [UInt64] = []
            try client.events(view: "lobby") { event in
                times.append(event.at)
                return times.count < 3
            }
            #expect(times == [1, 2, 3])
        }
    }

    @Test func waitingEndsWithAnErrorWhenRelightdIsSilentOrGoes() throws {
        let server = try FakeControlServer { method, _ in method == .list ? .silence : .hangUp(after: []) }
        defer { server.stop() }
        let client = try ControlClient(path: server.path, timeout: .milliseconds(50))
        #expect(throws: ControlError(.timedOut, "")) { try client.list() }
        let other = try ControlClient(path: server.path, timeout: .seconds(20))
        #expect(throws: ControlError(.disconnected, "")) { try other.status() }
        #expect(throws: ControlError(.disconnected, "")) { try other.status() }
    }

    @Test(arguments: ["{", "[]", #"{"parameters":{"views":7}}"#, #"{"parameters":{}}"#])
    func anAnswerOfAnotherFormIsAnErrorAndNoTrap(_ text: String) throws {
        try withServer { _, _ in
            .frames([Array(text.utf8)])
        } _: { (_, client) throws in
            #expect(throws: ControlError(.badReply, "")) { try client.list() }
        }
    }

    @Test func aLargeCallAndALargeReplyPass() throws {
        let script = String(repeating: "x", count: 1 << 20)
        try withServer { _, parameters in
            .result(Control.EvaluateResult(value: parameters["script"] ?? .null))
        } _: { (_, client) throws in
            #expect(try client.evaluate(view: "v", script: script) == .string(script))
        }
    }

    @Test func aMissingOrDeadSocketIsNamedWithWhatToDo() throws {
        let server = try FakeControlServer { _, _ in .silence }
        let path = server.path
        let refused = try UnixSocket.listen(at: path + ".dead", mode: 0o600)
        // shutdown(2) of a listener leaves its file as a crash would.
        shutdown(refused.raw, Int32(SHUT_RDWR))
        for path in [path + ".missing", path + ".dead"] {
            let error = #expect(throws: ControlError(.unreachable, "")) { try ControlClient(path: path) }
            #expect(error?.message.contains(path) == true)
            #expect(error?.remedy.contains("systemctl status relightd") == true)
        }
        server.stop()
        #expect(throws: ControlError(.unreachable, "")) {
            try ControlClient(path: "/" + String(repeating: "a", count: 200))
        }
    }

    @Test func theDefaultSocketFollowsTheEnvironment() {
        let none: (String) -> String? = { _ in nil }
        #expect(ControlSocket.path(environment: none, exists: { _ in true }) == "/run/relight/io.relight")
        let session: (String) -> String? = { $0 == "XDG_RUNTIME_DIR" ? "/run/user/7" : nil }
        #expect(ControlSocket.path(environment: session, exists: { _ in true }) == "/run/user/7/relight/io.relight")
        #expect(ControlSocket.path(environment: session, exists: { _ in false }) == "/run/relight/io.relight")
        let both: (String) -> String? = { $0 == "RELIGHT_SOCKET" ? "/tmp/s" : "/run/user/7" }
        #expect(ControlSocket.path(environment: both, exists: { _ in true }) == "/tmp/s")
    }
}
