// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Wire

struct VarlinkServiceTests {
    private func receive(_ text: String) -> VarlinkService.Outcome {
        VarlinkService.receive(Array(text.utf8), version: "1.2")
    }

    /// The reply to a call that needs no daemon, or nil if it is something else.
    private func reply(to text: String) throws -> Varlink.Reply {
        guard case .reply(let reply?, closeConnection: false) = receive(text) else {
            throw FrameError(.malformed, "no reply to \(text)")
        }
        return reply
    }

    @Test func aCallIsHandedOnWithItsParametersAndFlags() {
        #expect(
            receive(#"{"method":"io.relight.Status","parameters":{"view":"lobby"}}"#)
                == .call(.status, parameters: .object(["view": .string("lobby")]), wantsMore: false, oneway: false))
        #expect(
            receive(#"{"method":"io.relight.Events","more":true}"#)
                == .call(.events, parameters: .object([:]), wantsMore: true, oneway: false))
        #expect(
            receive(#"{"method":"io.relight.Reload","parameters":{"view":"a"},"oneway":true}"#)
                == .call(.reload, parameters: .object(["view": .string("a")]), wantsMore: false, oneway: true))
    }

    @Test(arguments: Control.Method.allCases)
    func everyMethodIsDescribedAndReachable(_ method: Control.Method) {
        #expect(Control.description.contains("method \(method.rawValue)("))
        let parameters =
            #"{"view":"v","url":"https://a.example/","script":"1","target":"host","signal":9,"pool":"p"}"#
        guard case .object(let all)? = try? JSON.decode(JSONValue.self, from: Array(parameters.utf8)) else { return }
        // Some subset of these is right for each method; one at a time must be enough to tell which are refused.
        var accepted = all
        while case .reply(let reply?, _) = VarlinkService.receive(call(method, accepted), version: "1"),
            let name = reply.parameters?["parameter"]?.string, accepted.removeValue(forKey: name) != nil
        {}
        guard case .call(method, _, _, _) = VarlinkService.receive(call(method, accepted), version: "1") else {
            Issue.record("\(method) was not accepted with \(accepted)")
            return
        }
    }

    private func call(_ method: Control.Method, _ parameters: [String: JSONValue]) -> [UInt8] {
        let call = Varlink.Call(method: method.qualified, parameters: .object(parameters), more: true)
        return (try? JSON.encode(call)) ?? []
    }

    @Test(arguments: Control.Failure.allCases)
    func everyFailureIsDescribedAndHasItsParameters(_ failure: Control.Failure) throws {
        #expect(Control.description.contains("error \(failure.rawValue)(message: string, remedy: string)"))
        let frame = VarlinkService.failure(failure, message: "m\n\u{0}", remedy: "r")
        #expect(!frame.contains(0))
        let reply = try JSON.decode(Varlink.Reply.self, from: frame)
        #expect(reply.error == "io.relight.\(failure.rawValue)")
        let detail = try #require(reply.parameters).decoded(as: Control.FailureDetail.self)
        #expect(detail == Control.FailureDetail(message: "m\n\u{0}", remedy: "r"))
    }

    @Test func theServiceDescribesItself() throws {
        let info = try reply(to: #"{"method":"org.varlink.service.GetInfo"}"#)
        #expect(info.error == nil)
        #expect(info.parameters?["version"] == .string("1.2"))
        #expect(info.parameters?["interfaces"] == .array([.string("org.varlink.service"), .string("io.relight")]))
        for interface in ["io.relight", "org.varlink.service"] {
            let text = #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"X"}}"#
            let description = try reply(to: text.replacing("X", with: interface)).parameters?["description"]?.string
            #expect(try #require(description).contains("interface \(interface)\n"))
        }
    }

    @Test(arguments: [
        (#"{"method":"io.relight.Fly"}"#, "MethodNotFound", "method", "io.relight.Fly"),
        (#"{"method":"org.varlink.service.Fly"}"#, "MethodNotFound", "method", "org.varlink.service.Fly"),
        (#"{"method":"com.example.List"}"#, "InterfaceNotFound", "interface", "com.example"),
        (#"{"method":"List"}"#, "InterfaceNotFound", "interface", ""),
        (
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"}}"#,
            "InterfaceNotFound", "interface", "a.b"
        ),
        (
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{}}"#, "InvalidParameter",
            "parameter", "interface"
        ),
        (#"{"method":"io.relight.Close","parameters":{}}"#, "InvalidParameter", "parameter", "view"),
        (#"{"method":"io.relight.Close","parameters":{"view":7}}"#, "InvalidParameter", "parameter", "view"),
        (#"{"method":"io.relight.Close","parameters":[]}"#, "InvalidParameter", "parameter", "parameters"),
        (
            #"{"method":"io.relight.Close","parameters":{"view":"a","veiw":"b"}}"#, "InvalidParameter", "parameter",
            "veiw"
        ),
        (
            #"{"method":"io.relight.Kill","parameters":{"view":"a","target":"moon"}}"#, "InvalidParameter",
            "parameter", "target"
        ),
        (
            #"{"method":"io.relight.Kill","parameters":{"view":"a","target":"host","signal":"9"}}"#,
            "InvalidParameter", "parameter", "signal"
        ),
    ])
    func aWrongCallNamesWhatIsWrong(_ call: String, _ error: String, _ parameter: String, _ value: String) throws {
        let reply = try reply(to: call)
        #expect(reply.error == "org.varlink.service.\(error)")
        #expect(reply.parameters == .object([parameter: .string(value)]))
    }

    @Test func eventsNeedMore() throws {
        #expect(try reply(to: #"{"method":"io.relight.Events"}"#).error == "org.varlink.service.ExpectedMore")
    }

    @Test func aOnewayCallGetsNoReply() {
        #expect(
            receive(#"{"method":"io.relight.Fly","oneway":true}"#) == .reply(nil, closeConnection: false))
    }

    @Test(arguments: ["", "{", "7", "null", #"{"parameters":{}}"#, #"{"method":null}"#, #"{"method":"a","more":1}"#])
    func whatIsNoCallIsAnsweredAndEndsTheConnection(_ text: String) {
        guard case .reply(let reply?, closeConnection: true) = receive(text) else {
            Issue.record("\(text) was taken for a call")
            return
        }
        #expect(reply.error == "io.relight.InvalidArgument")
        #expect(reply.parameters?["message"]?.string?.isEmpty == false)
        #expect(reply.parameters?["remedy"]?.string?.isEmpty == false)
    }

    @Test func successSaysWhetherMoreFollows() throws {
        let result = Control.KillResult(pid: 7)
        #expect(try VarlinkService.success(result) == Array(#"{"parameters":{"pid":7}}"#.utf8))
        #expect(
            try VarlinkService.success(result, continues: true)
                == Array(#"{"continues":true,"parameters":{"pid":7}}"#.utf8))
        #expect(VarlinkService.success() == Array(#"{"parameters":{}}"#.utf8))
    }

    @Test func depthIsLimitedBeforeAnythingIsDecoded() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try JSON.decode(JSONValue.self, from: nested(JSONNesting.limit))
        #expect(throws: FrameError.self) { try JSON.decode(JSONValue.self, from: nested(JSONNesting.limit + 1)) }
        #expect(throws: FrameError.self) { try JSON.decode(JSONValue.self, from: nested(1_000_000)) }
        // Brackets in strings do not count, whatever is escaped there.
        let text = #"["\\", "\"[[", "\#(String(repeating: "[{", count: 1000))"]"#
        #expect(try JSON.decode([String].self, from: Array(text.utf8)).count == 3)
    }
}
