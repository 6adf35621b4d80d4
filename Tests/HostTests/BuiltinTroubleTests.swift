// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Bench
import BuiltinHost
import Cookies
import Foundation
import Glibc
import HostKit
import Platform
import TestSupport
import Testing
import Transport
import Wire

/// Servers that are slow, broken or hostile. In this process, with short deadlines.
@Suite struct BuiltinTroubleTests {
    /// Loads a page in a host with these limits; the steps of the bind, and what was said.
    private func load(
        _ url: String, change: (inout BuiltinRenderer.Limits) -> Void = { _ in }
    ) throws -> (last: HostMessage.Progress, messages: [HostMessage]) {
        var limits = BuiltinRenderer.Limits()
        change(&limits)
        let (ours, theirs) = try UnixSocket.pair()
        let final = limits
        Thread.detachNewThread { try? BuiltinRenderer(channel: HostChannel(socket: theirs), limits: final).run() }
        let connection = FramedConnection(socket: ours)
        func send(_ message: SupervisorMessage) throws { try connection.send(try message.frame()) }
        var messages: [HostMessage] = []
        try send(
            .welcome(
                .init(pool: "p", dataDirectory: "", cacheDirectory: "", warmSlots: 1, isStandby: false, cookies: [])))
        try send(.bind(.init(bind: 1, slot: 1, view: "v", url: url)))
        let last = try eventually("the load of \(url) ends") { () -> HostMessage.Progress? in
            for received in try connection.receive() { messages.append(try HostMessage.parse(received.frame)) }
            return messages.lazy.compactMap { message in
                if case .progress(let progress) = message, [.verified, .failed].contains(progress.step) {
                    progress
                } else {
                    nil
                }
            }.first
        }
        try send(.stop)
        return (last, messages)
    }

    private func text(_ answer: ScriptedServer.Answer, change: (inout BuiltinRenderer.Limits) -> Void = { _ in }) throws
        -> String
    {
        let server = try ScriptedServer { _ in answer }
        let (last, _) = try load(server.url("/"), change: change)
        return last.step == .verified ? "verified" : last.detail ?? ""
    }

    @Test func silenceAndSlownessEnd() throws {
        let silent = try text(.silence) { $0.loadTime = 300 }
        #expect(silent.contains("timed out"), "\(silent)")
        let dripping = try text(.endless(head: "HTTP/1.1 200 OK\r\n\r\n", body: [32])) { limits in
            limits.loadTime = 300
            limits.responseSize = .max
        }
        #expect(dripping.contains("timed out"), "\(dripping)")
    }

    @Test func aChainOfSlowRedirectsEndsAsAWhole() throws {
        let server = try ScriptedServer { request in
            usleep(60_000)
            return .response(302, ["Location: /\(request.target.utf8.count)x\(request.target.dropFirst())"])
        }
        let (last, _) = try load(server.url("/")) { limits in
            limits.loadTime = 500
            limits.redirects = 1_000
        }
        #expect(last.step == .failed)
        #expect(last.detail?.contains("timed out") == true || last.detail?.contains("not there within") == true)
        #expect(server.requests.count >= 3)
    }

    @Test func unboundedResponsesEnd() throws {
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        #expect(try text(.endless(head: "HTTP/1.1 200 OK\r\n\r\n", body: piece)).contains("larger than 16 MiB"))
        #expect(
            try text(
                .endless(
                    head: "HTTP/1.1 200 OK\r\n", body: Array("X-More: \(String(repeating: "y", count: 1000))\r\n".utf8))
            )
            .isEmpty == false)
        // The body of a redirect is of no use, however long it is.
        let server = try ScriptedServer { request in
            request.target == "/"
                ? .endless(head: "HTTP/1.1 302 X\r\nLocation: /end\r\n\r\n", body: piece) : .response(200, body: "end")
        }
        #expect(try load(server.url("/")).last.step == .verified)
        // A picture is not fetched.
        #expect(
            try text(.endless(head: "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", body: piece)) == "verified")
    }

    @Test func redirectsThatLeadNowhereEnd() throws {
        #expect(try text(.response(302, ["Location: /"])).contains("more than 20 redirects"))
        #expect(try text(.response(302, ["Location: file:///etc/passwd"])).contains("no address of http or https"))
        #expect(try text(.response(302, ["Location: http://127.0.0.1:1/"])).contains("127.0.0.1 port 1"))
        // Without a Location it is a page.
        #expect(try text(.response(302, body: "here")) == "verified")
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nno gzip", "\u{0}\u{1}\u{2}", "HTTP/9.9 200\r\n\r\n",
    ])
    func brokenResponsesAreErrors(response: String) throws {
        let result = try text(.text(response))
        #expect(result != "verified" && !result.isEmpty)
    }

    @Test func unverifiedServersAreRefused() throws {
        let directory = try TestDirectory()
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost", "-keyout", "\(directory.path)/key", "-out", "\(directory.path)/cert",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        try #require(openssl.terminationStatus == 0)

        // A port that is free now; s_server cannot choose one itself and say so in every version.
        let port = try ScriptedServer { _ in .silence }.port
        let server = Process()
        server.executableURL = openssl.executableURL
        server.arguments = [
            "s_server", "-accept", "127.0.0.1:\(port)", "-cert", "\(directory.path)/cert", "-key",
            "\(directory.path)/key", "-www", "-quiet",
        ]
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
        defer { server.terminate() }
        let url = "https://localhost:\(port)/"
        let refusal = try eventually("the server is up") { () -> String? in
            let detail = try load(url).last.detail ?? ""
            return detail.contains("connect to") ? nil : detail
        }
        #expect(refusal.contains("certificate"), "\(refusal)")

        // With its certificate trusted it is another matter; the name still has to be right.
        let trusting = try HostUnderTest("relight-builtin", environment: ["SSL_CERT_FILE=\(directory.path)/cert"])
        let slot = try trusting.show(url)
        #expect(try trusting.evaluate(slot, "document.location.href").value == .string(url))
        try trusting.send(.navigate(.init(slot: slot, action: .load, url: "https://127.0.0.1:\(port)/")))
        try trusting.next("failed") { if case .navigation(let n) = $0, n.phase == .failed { true } else { nil } }
    }
}
