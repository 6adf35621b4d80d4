// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import RelightKit
import TestSupport
import Testing
import Wire

/// Whatever comes in on the control socket gets an answer that says what was wrong, and nobody else notices.
@Suite struct ControlProtocolTests {
    private let daemon: DaemonProcess
    private let other: ControlClient

    init() throws {
        daemon = try DaemonProcess(files: ["views/a.view": view(), "pools/default.pool": poolWithoutRenderer])
        other = try daemon.client()
    }

    private func expectOthersAreServed(_ location: SourceLocation = #_sourceLocation) throws {
        #expect(try other.list().map(\.name) == ["a"], sourceLocation: location)
    }

    @Test(arguments: [
        ("{\"method\":", "the frame is not well-formed JSON"),
        ("\u{1}\u{2}\u{fffd}", "the frame is not well-formed JSON"),
        ("", "the frame is not well-formed JSON"),
        ("[]", "the frame is not of type"),
        ("{}", "'method' is missing"),
        ("{\"method\":7}", "'method' is not of type String"),
        ("{\"method\":\"io.relight.List\",\"more\":\"yes\"}", "'more' is not of type Bool"),
    ])
    func whatIsNoCallIsSaidToBeNone(frame: String, reason: String) throws {
        try expectNoCall(frame, reason)
    }

    @Test(arguments: ["", "{\"method\":\"io.relight.List\",\"parameters\":"], ["[", "{\"a\":"])
    func deepNestingIsRefused(start: String, level: String) throws {
        try expectNoCall(start + String(repeating: level, count: 200_000), "more than 128 deep")
    }

    private func expectNoCall(_ frame: String, _ reason: String) throws {
        let client = try RawClient(daemon)
        let reply = try client.call(frame)
        #expect(reply.error == Control.Failure.invalidArgument.qualified)
        #expect(reply.message.hasPrefix("this is not a Varlink call: "))
        #expect(reply.message.contains(reason), "\(reply.message)")
        #expect(!reply.remedy.isEmpty)
        // What would follow cannot be told apart any more.
        #expect(try client.reply() == nil)
        try expectOthersAreServed()
    }

    @Test(arguments: [
        ("io.relight.Lst", "MethodNotFound", "method", "io.relight.Lst"),
        ("io.relight.", "MethodNotFound", "method", "io.relight."),
        ("io.relight.list", "MethodNotFound", "method", "io.relight.list"),
        ("org.varlink.service.GetLost", "MethodNotFound", "method", "org.varlink.service.GetLost"),
        ("io.systemd.List", "InterfaceNotFound", "interface", "io.systemd"),
        ("List", "InterfaceNotFound", "interface", ""),
        ("", "InterfaceNotFound", "interface", ""),
    ])
    func anUnknownMethodIsNamed(method: String, error: String, key: String, value: String) throws {
        let client = try RawClient(daemon)
        let reply = try client.call("{\"method\":\"\(method)\"}")
        #expect(reply.error == "org.varlink.service.\(error)")
        #expect(reply.parameters?[key]?.string == value)
        // The connection is as good as before.
        #expect(try client.call("{\"method\":\"io.relight.List\"}").error == nil)
    }

    @Test(arguments: [
        ("List", "{\"view\":\"a\"}", "view"),
        ("List", "[]", "parameters"),
        ("Status", "{\"view\":1}", "view"),
        ("Status", "{\"veiw\":\"a\"}", "veiw"),
        ("Open", "{\"view\":\"b\"}", "url"),
        ("Open", "{\"url\":\"about:blank\"}", "view"),
        ("Open", "{\"view\":\"b\",\"url\":null}", "url"),
        ("Open", "{\"view\":\"b\",\"url\":\"about:blank\",\"pool\":{}}", "pool"),
        ("Evaluate", "{\"view\":\"a\"}", "script"),
        ("Kill", "{\"view\":\"a\"}", "target"),
        ("Kill", "{\"view\":\"a\",\"target\":\"init\"}", "target"),
        ("Kill", "{\"view\":\"a\",\"target\":\"host\",\"signal\":99999999999}", "signal"),
        ("Kill", "{\"view\":\"a\",\"target\":\"host\",\"signal\":9.5}", "signal"),
    ])
    func aWrongParameterIsNamed(method: String, parameters: String, wrong: String) throws {
        let client = try RawClient(daemon)
        let reply = try client.call("{\"method\":\"io.relight.\(method)\",\"parameters\":\(parameters)}")
        #expect(reply.error == "org.varlink.service.InvalidParameter")
        #expect(reply.parameters?["parameter"]?.string == wrong)
        try expectOthersAreServed()
    }

    @Test func eventsWithoutMoreAreRefused() throws {
        let client = try RawClient(daemon)
        #expect(try client.call("{\"method\":\"io.relight.Events\"}").error == "org.varlink.service.ExpectedMore")
    }

    @Test func aFrameThatNeverEndsIsRefusedAtTheLimit() throws {
        let client = try RawClient(daemon)
        let start = Array("{\"method\":\"io.relight.List\",\"x\":\"".utf8)
        let filler = [UInt8](repeating: UInt8(ascii: "x"), count: Varlink.callLimit + (2 << 20))
        try client.send(start + filler)
        let reply = try client.reply()
        #expect(reply?.error == Control.Failure.invalidArgument.qualified)
        #expect(reply?.message.contains("larger than the limit of \(Varlink.callLimit) bytes") == true)
        #expect(reply?.remedy == "send calls of less than \(Varlink.callLimit) bytes")
        #expect(try client.reply() == nil)
        try daemon.line("<4>a control client (PID \(getpid())) sent what is no call", "MESSAGE_ID=9bb729e3")
        try expectOthersAreServed()
    }

    @Test func aLongCallWithinTheLimitIsServed() throws {
        let client = try RawClient(daemon)
        let filler = String(repeating: "x", count: Varlink.callLimit - 200)
        let reply = try client.call(
            "{\"method\":\"io.relight.Load\",\"parameters\":{\"view\":\"a\",\"url\":\"http://h/\(filler)\"}}")
        #expect(reply.error == Control.Failure.invalidArgument.qualified)
        #expect(reply.message.contains("longer than 8192 bytes"))
        #expect(reply.message.utf8.count < 1000)
    }

    @Test func aCallThatComesInPiecesIsOneCall() throws {
        let client = try RawClient(daemon)
        for byte in Array("{\"method\":\"io.relight.List\"}".utf8) {
            try client.send([byte])
            try expectOthersAreServed()
        }
        try client.send([0])
        #expect(try client.reply()?.error == nil)
    }

    @Test func callsThatComeTogetherAreAnsweredInOrder() throws {
        let client = try RawClient(daemon)
        let names = (0..<100).map { "x\($0)" }
        let calls = names.map { "{\"method\":\"io.relight.Reload\",\"parameters\":{\"view\":\"\($0)\"}}\0" }
        // Half of them, then the end: who sends no more may still be waiting for answers.
        try client.send(Array(calls.joined().utf8))
        client.finishSending()
        for name in names {
            #expect(try client.reply()?.message == "there is no view '\(name)'")
        }
        #expect(try client.reply() == nil)
    }

    @Test func aClientThatGoesInTheMiddleLeavesNothingBehind() throws {
        // Once a call is answered the store is open, too. This client stays, so that it counts both times.
        let other = try RawClient(daemon)
        try other.send(Array("{\"method\":\"io.relight.List\"}\0".utf8))
        #expect(try other.reply()?.error == nil)
        let before = daemon.descriptorCount
        for text in ["", "{\"meth", "{\"method\":\"io.relight.List\"}\0", "{\"method\":\"io.relight.List\"}\0{"] {
            for _ in 0..<20 {
                let client = try RawClient(daemon)
                try client.send(Array(text.utf8))
            }
        }
        try eventually("all are gone") { daemon.descriptorCount == before ? true : nil }
        try expectOthersAreServed()
    }

    @Test func onewayCallsAreDoneWithoutAnAnswer() throws {
        let client = try RawClient(daemon)
        for name in ["x", "y"] {
            let parameters = "{\"view\":\"\(name)\",\"url\":\"about:blank\"}"
            try client.send("{\"method\":\"io.relight.Open\",\"oneway\":true,\"parameters\":\(parameters)}")
        }
        let reply = try client.call("{\"method\":\"io.relight.List\"}")
        #expect(reply.parameters?["views"] != nil)
        #expect(try other.list().map(\.name) == ["a", "x", "y"])
        // Nor is anybody needed who waits for the end of it.
        try client.send("{\"method\":\"io.relight.Close\",\"oneway\":true,\"parameters\":{\"view\":\"x\"}}")
        try client.send("{\"method\":\"io.relight.Close\",\"oneway\":true,\"parameters\":{\"view\":\"y\"}}")
        shutdown(client.socket.raw, Int32(SHUT_RDWR))
        try eventually("both are closed") { try other.list().map(\.name) == ["a"] ? true : nil }
    }

    /// Bytes at random, some of them nearly right.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func noiseEndsNothing(seed: UInt64) throws {
        var random = Noise(state: seed)
        let pieces = [
            "{", "}", "[", "]", "\"", "\\", "\\u0000", "\\ud800", ":", ",", "method", "io.relight.List", "parameters",
            "more", "true", "null", "-1e999", "18446744073709551616", "\u{0}", "\u{7f}", "é", "view", "a",
        ]
        for _ in 0..<100 {
            let client = try RawClient(daemon)
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                if Int.random(in: 0..<10, using: &random) == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                } else {
                    bytes.append(contentsOf: (pieces.randomElement(using: &random) ?? "").utf8)
                }
            }
            try client.send(bytes + [0])
            _ = try client.reply()
        }
        try expectOthersAreServed()
    }
}

/// xorshift64*, so that a failure can be seen again.
private struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
