// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Glibc
import Platform
import TestSupport
import Testing
import Transport
import Wire

/// The tests of relightd rely on it that the fake host behaves as a real one, and misbehaves as it is told.
@Suite struct FakeHostTests {
    private func host(_ script: String = "", _ more: [String] = []) throws -> HostUnderTest {
        try HostUnderTest("relight-fake", environment: ["RELIGHT_FAKE_SCRIPT=\(script)"] + more)
    }

    @Test func itShowsAViewStepByStep() throws {
        let host = try host()
        let hello = try host.hello()
        #expect(hello.protocolVersion == RendererProtocol.version)
        #expect(hello.pid == host.process.pid)
        let cookie = Cookie(name: "a", value: "1", domain: "a.test")
        try host.send(
            .welcome(
                .init(
                    pool: "main", dataDirectory: "", cacheDirectory: "", warmSlots: 1, isStandby: false,
                    cookies: [cookie])))
        let slot = try host.warmSlot()
        #expect(slot.contentPID != nil)
        let state = PageState(
            url: "http://a.test/deep", title: "Deep",
            frames: [FrameState(url: "http://a.test/deep", scrollY: 300, fields: [])])
        try host.bind(slot.slot, "http://a.test/", state: state, cookies: [cookie])
        #expect(
            try host.stepsOfBind().map(\.step)
                == [.cookiesIn, .stateIn, .loadStarted, .loadFinished, .firstPaint, .verified])
        let report = try host.next("page state") { if case .pageState(let report) = $0 { report } else { nil } }
        #expect(report.state == state)
        #expect(try host.evaluate(slot.slot, "document.location.href").value == .string("http://a.test/deep"))
        #expect(try host.evaluate(slot.slot, "state").value?["scrollY"] == .integer(300))
        #expect(try host.evaluate(slot.slot, "document.cookie").value == .string("a=1"))
        try host.send(.stop)
        #expect(try host.waitForExit() == 0)
    }

    @Test func itReportsCookiesAndHearsOfTheirStorage() throws {
        let host = try host("in-process")
        let slot = try host.show("http://a.test/")
        #expect(try host.evaluate(slot, "set cookie n=v=w").value == .integer(1))
        #expect(
            host.messages.contains {
                $0
                    == .cookies(
                        .init(
                            sequence: 1,
                            changes: CookieChanges(set: [Cookie(name: "n", value: "v=w", domain: "a.test")])))
            })
        #expect(try host.evaluate(slot, "stored").value == .integer(0))
        try host.send(.cookiesStored(sequence: 1))
        #expect(try host.evaluate(slot, "stored").value == .integer(1))
        #expect(try host.evaluate(slot, "network lost").error == nil)
        try host.next("networkLost") { if case .networkLost = $0 { true } else { nil } }
        #expect(try host.evaluate(slot, "document.cookie").value == .string(""))
    }

    @Test func aKilledContentProcessIsALostSlot() throws {
        let host = try host()
        try host.welcome()
        let slot = try host.warmSlot()
        try host.bind(slot.slot, "http://a.test/")
        #expect(try host.stepsOfBind().last?.step == .verified)
        let pid = try #require(slot.contentPID)
        #expect(kill(pid, SIGKILL) == 0)
        let lost = try host.next("slotLost") { if case .slotLost(let lost) = $0 { lost } else { nil } }
        #expect(lost.slot == slot.slot && lost.reason == .crashed && lost.contentPID == pid)
    }

    @Test func itsProcessesEndWithIt() throws {
        let host = try host()
        let slot = try host.show("http://a.test/")
        let all = try #require(
            host.messages.reversed().lazy.compactMap { message in
                if case .processes(let processes) = message { processes } else { nil }
            }.first)
        let pids = all.content.map(\.pid) + [all.networkPID].compactMap(\.self)
        #expect(pids.count >= 2)
        try host.send(.evaluate(.init(id: 99, slot: slot, script: "die")))
        #expect(try host.waitForExit() & 0x7f == SIGKILL)
        try eventually("its processes end") {
            pids.allSatisfy { ProcessTable.entry($0) == nil || isZombie($0) } ? true : nil
        }
    }

    private func isZombie(_ pid: Int32) -> Bool {
        (try? TextFile.read("/proc/\(pid)/stat", limit: 4096))?.contains(") Z ") == true
    }

    @Test(arguments: [
        ("garbage", FrameError.Code.malformed), ("unknown-message", .unknownType),
        ("missing-descriptor", .missingDescriptor), ("huge-frame", .tooLarge),
    ])
    func itBreaksTheProtocol(script: String, code: FrameError.Code) throws {
        let host = try host(script)
        _ = try host.hello()
        let error = #expect(throws: (any Error).self) { try host.next("a breach", seconds: 240) { _ in nil as Bool? } }
        #expect(Self.code(of: error) == code)
    }

    private static func code(of error: (any Error)?) -> FrameError.Code? {
        if case .frame(let error) = error as? FramedConnection.Failure { return error.code }
        return (error as? FrameError)?.code
    }

    @Test func itFailsToStart() throws {
        #expect(try host("exit-at-start=3").waitForExit() == 3 << 8)
        #expect(try host("version=99").hello().protocolVersion == 99)
        let silent = try host("no-hello")
        try silent.send(.ping(sequence: 7))
        #expect(try silent.next("pong") { if case .pong(let pong) = $0 { pong.sequence } else { nil } } == 7)
        #expect(!silent.messages.contains { if case .hello = $0 { true } else { false } })
        #expect(try host("no such word").waitForExit() == 64 << 8)
    }

    @Test func itMisbehavesOnlySoOften() throws {
        let directory = try TestDirectory()
        let counter = ["RELIGHT_FAKE_COUNTER=\(directory.path)/counter"]
        #expect(try host("exit-at-start=3,hosts=2", counter).waitForExit() == 3 << 8)
        #expect(try host("exit-at-start=3,hosts=2", counter).waitForExit() == 3 << 8)
        _ = try host("exit-at-start=3,hosts=2", counter).hello()

        let crasher = try host("crash-on-bind=1,in-process")
        try crasher.welcome()
        try crasher.bind(try crasher.warmSlot().slot, "http://a.test/")
        let lost = try crasher.next("slotLost") { if case .slotLost(let lost) = $0 { lost.slot } else { nil } }
        let second = try crasher.warmSlot().slot
        #expect(second != lost)
        try crasher.bind(second, "http://a.test/")
        #expect(try crasher.stepsOfBind().last?.step == .verified)
    }

    @Test func itStaysWhenItShouldStop() throws {
        let host = try host("ignore-stop")
        _ = try host.show("http://a.test/")
        try host.send(.stop)
        try host.send(.ping(sequence: 1))
        try host.next("pong") { if case .pong = $0 { true } else { nil } }
    }
}
