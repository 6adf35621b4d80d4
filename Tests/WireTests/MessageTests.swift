// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import FoundationEssentials
import Testing

@testable import Wire

struct MessageTests {
    @Test(arguments: Samples.host)
    func everyMessageOfAHostComesBackEqual(_ message: HostMessage) throws {
        let frame = try message.frame()
        #expect(!frame.contains(0))
        #expect(try HostMessage.parse(frame) == message)
        guard case .object(let fields) = try JSON.decode(JSONValue.self, from: frame) else {
            throw FrameError(.malformed, "no object")
        }
        #expect(fields["type"]?.string == "\(message)".prefix { $0 != "(" }.description)
    }

    @Test(arguments: Samples.supervisor)
    func everyMessageOfRelightdComesBackEqual(_ message: SupervisorMessage) throws {
        let frame = try message.frame()
        #expect(!frame.contains(0))
        #expect(try SupervisorMessage.parse(frame) == message)
        #expect(
            try JSON.decode(JSONValue.self, from: frame)["type"]?.string
                == "\(message)".prefix { $0 != "(" }.description)
    }

    /// The samples cover every kind, so that a new message without one is noticed.
    @Test func noKindOfMessageIsLeftOut() {
        #expect(Set(Samples.host.map { "\($0)".prefix { $0 != "(" } }).count == 13)
        #expect(Set(Samples.supervisor.map { "\($0)".prefix { $0 != "(" } }).count == 13)
    }

    /// What other people's hosts rely on.
    @Test func theWireFormatIsWhatIsDocumented() throws {
        func text(_ message: some WireMessage) throws -> String { String(decoding: try message.frame(), as: UTF8.self) }
        #expect(
            try text(HostMessage.hello(.init(renderer: "mine", version: "1", pid: 42)))
                == #"{"pid":42,"protocolVersion":1,"renderer":"mine","type":"hello","version":"1"}"#)
        #expect(try text(HostMessage.slotReady(.init(slot: 3))) == #"{"slot":3,"type":"slotReady"}"#)
        #expect(try text(SupervisorMessage.stop) == #"{"type":"stop"}"#)
        #expect(try text(SupervisorMessage.ping(sequence: 7)) == #"{"sequence":7,"type":"ping"}"#)
        #expect(
            try text(SupervisorMessage.navigate(.init(slot: 1, action: .load, url: "https://a/b")))
                == #"{"action":"load","slot":1,"type":"navigate","url":"https://a/b"}"#)
    }

    @Test func messagesSayHowManyDescriptorsTravelWithThem() {
        #expect(HostMessage.picture(.init(slot: 0, width: 1, height: 1, stride: 4)).descriptorCount == 1)
        #expect(HostMessage.reply(.init(id: 1, hasDescriptor: true)).descriptorCount == 1)
        #expect(HostMessage.reply(.init(id: 1)).descriptorCount == 0)
        #expect(SupervisorMessage.curtain(.init(slot: 0, width: 1, height: 1, stride: 4)).descriptorCount == 1)
        #expect(Samples.host.reduce(0) { $0 + $1.descriptorCount } == 2)
        #expect(Samples.supervisor.reduce(0) { $0 + $1.descriptorCount } == 1)
    }

    @Test(arguments: [
        (#"{"type":"fly"}"#, FrameError.Code.unknownType, "'fly'"), (#"{}"#, .malformed, "'type' is missing"),
        (#"{"type":7}"#, .malformed, "'type' is not"), (#"{"type":null}"#, .malformed, "'type' is null"),
        (#"[]"#, .malformed, "the frame is not"), (#""hello""#, .malformed, "the frame is not"),
        ("", .malformed, "well-formed"), ("{\"type\":\"hello\"", .malformed, "well-formed"),
        ("\u{FEFF}{", .malformed, "well-formed"), (#"{"type":"hello"}"#, .malformed, "is missing"),
        (
            #"{"type":"slotLost","slot":1,"reason":"bored","detectedAt":1}"#, .malformed,
            "'reason' holds no allowed value"
        ),
        (#"{"type":"slotReady","slot":1.5}"#, .malformed, "'slot' holds a number"),
        (#"{"type":"slotReady","slot":99999999999999999999}"#, .malformed, "'slot' holds a number"),
        (#"{"type":"slotReady","slot":1,"contentPID":4294967296}"#, .malformed, "'contentPID' holds a number"),
        (#"{"type":"pageState","slot":1,"state":{"url":"u","title":"t","frames":[{}]}}"#, .malformed, "'state.frames"),
    ])
    func whatIsNoMessageIsAnErrorThatNamesTheFault(_ text: String, _ code: FrameError.Code, _ part: String) {
        let error = #expect(throws: FrameError.self) { try HostMessage.parse(Array(text.utf8)) }
        #expect(error?.code == code)
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
        #expect(throws: FrameError.self) { try SupervisorMessage.parse(Array(text.utf8)) }
    }

    @Test func errorsNeverRepeatValues() {
        let secret = "hunter2"
        for text in [
            #"{"type":"cookies","sequence":1,"changes":{"set":[{"name":"hunter2","value":7}]}}"#,
            #"{"type":"cookies","sequence":"hunter2"}"#, #"{"type":"cookies","hunter2"#,
            #"{"type":"slotLost","slot":1,"reason":"hunter2","detectedAt":1}"#,
        ] {
            let error = #expect(throws: FrameError.self) { try HostMessage.parse(Array(text.utf8)) }
            #expect(error?.description.contains(secret) == false, "\(error?.description ?? "")")
        }
    }

    @Test func unknownFieldsOfNewerPeersArePassedOver() throws {
        let message = try HostMessage.parse(Array(#"{"type":"slotReady","slot":3,"colour":"blue"}"#.utf8))
        #expect(message == .slotReady(.init(slot: 3)))
    }

    @Test func aMessageThatNestsTooDeepIsAnError() {
        let depth = 100_000
        let text = #"{"type":"reply","id":1,"hasDescriptor":false,"value":"#
        let frame = Array((text + String(repeating: "[", count: depth)).utf8)
        let closed = frame + Array((String(repeating: "]", count: depth) + "}").utf8)
        for frame in [frame, closed] {
            let error = #expect(throws: FrameError.self) { try HostMessage.parse(frame) }
            #expect(error?.description.contains("128 deep") == true)
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func randomBytesNeverTrap(_ seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        let corpus = try Samples.host.map { try $0.frame() } + Samples.supervisor.map { try $0.frame() }
        let interesting = Array("{}[]\",:\\u0eE+-.0123456789truefalsn\u{7F}\u{FE}".utf8)
        for _ in 0..<100 {
            var frame = corpus.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = frame.isEmpty ? 0 : Int.random(in: 0..<frame.count, using: &generator)
                let byte =
                    Bool.random(using: &generator)
                    ? UInt8.random(in: 1...255, using: &generator)
                    : interesting.randomElement(using: &generator) ?? 0x20
                switch Int.random(in: 0..<4, using: &generator) {
                case 0 where !frame.isEmpty: frame[place] = byte
                case 1: frame.insert(byte, at: place)
                case 2 where !frame.isEmpty: frame.remove(at: place)
                default: frame.removeLast(min(frame.count, Int.random(in: 0...9, using: &generator)))
                }
            }
            // Whatever still is a message must be one that can be written and read again.
            if let message = try? HostMessage.parse(frame) {
                #expect(try HostMessage.parse(message.frame()) == message)
            }
            if let message = try? SupervisorMessage.parse(frame) {
                #expect(try SupervisorMessage.parse(message.frame()) == message)
            }
            switch VarlinkService.receive(frame, version: "1") {
            case .reply(let reply, _): if let reply { #expect(!VarlinkService.encode(reply).isEmpty) }
            case .call(let method, _, _, _): Issue.record("\(method) was called by chance")
            }
        }
    }
}
