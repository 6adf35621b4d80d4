// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import RelightKit
import TestSupport
import Testing
import Wire

/// Clients that are many, slow, silent or greedy cost the others nothing.
@Suite struct ManyClientsTests {
    private func daemon(_ more: [String: String] = [:]) throws -> DaemonProcess {
        try DaemonProcess(
            files: ["views/a.view": view(), "pools/default.pool": poolWithoutRenderer].merging(more) { $1 })
    }

    @Test func fiveHundredAreServedAndTooManyAreToldSo() throws {
        raiseDescriptorLimit()
        let daemon = try daemon()
        let first = try daemon.client()
        _ = try first.list()
        let before = daemon.descriptorCount
        var crowd = try (0..<500).map { _ in try RawClient(daemon) }
        // Half of them say nothing, half of the others say half of something.
        for client in crowd.prefix(125) { try client.send(Array("{\"method\":\"io.rel".utf8)) }
        for client in crowd.suffix(250) {
            #expect(try client.call("{\"method\":\"io.relight.List\"}").error == nil)
        }
        #expect(try first.list().count == 1)
        #expect(try daemon.client().list().count == 1)

        while true {
            let client = try RawClient(daemon)
            // The first one that is refused is told so without having asked for anything.
            if try client.call("{\"method\":\"io.relight.List\"}").error != nil {
                break
            }
            crowd.append(client)
            if crowd.count > 600 { break }
        }
        #expect((510...512).contains(crowd.count + 1), "\(crowd.count)")
        let refused = try RawClient(daemon)
        #expect(try refused.reply()?.error == Control.Failure.limitReached.qualified)
        #expect(try refused.reply() == nil)
        #expect(daemon.lines("<4>", "refused a control connection").count == 1)
        #expect(try first.list().count == 1)

        crowd = []
        try eventually("all are gone") { daemon.descriptorCount == before ? true : nil }
        #expect(try daemon.client().list().count == 1)
    }

    /// Tens of thousands of calls at once from one client: the others have their turn between them.
    @Test func aGreedyClientGetsNoMoreThanItsShare() throws {
        let daemon = try daemon()
        let other = try daemon.client()
        _ = try other.list()
        let greedy = try RawClient(daemon)
        let calls = [UInt8](String(repeating: "{\"method\":\"x.y\"}\0", count: 20_000).utf8)
        var rest = calls[...]
        var served = 0
        while !rest.isEmpty {
            rest = rest.dropFirst(greedy.sendNow(Array(rest.prefix(65536))))
            #expect(try other.list().count == 1)
            served += 1
            // It reads no answers, so in the end nothing more is taken from it.
            if served > 200 { break }
        }
        #expect(!rest.isEmpty)
        let memory = daemon.residentKilobytes
        for _ in 0..<20 { _ = greedy.sendNow(Array(rest.prefix(65536))) }
        #expect(try other.list().count == 1)
        #expect(daemon.residentKilobytes < memory + 8192)
        // All of it is answered as soon as it reads.
        var sent = calls.count - rest.count
        for number in 0..<20_000 {
            if sent < calls.count { sent += greedy.sendNow(Array(calls[sent...].prefix(65536))) }
            guard try greedy.reply()?.error == "org.varlink.service.InterfaceNotFound" else {
                Issue.record("answer \(number) is another one")
                break
            }
        }
    }

    @Test func aSubscriberThatNeverReadsIsHungUpAlone() throws {
        let daemon = try daemon(["relight.conf": "[Relight]\nLogLevel=warning\n"])
        let client = try daemon.client()
        let reader = try client.subscribe()
        let deaf = try RawClient(daemon)
        try deaf.send("{\"method\":\"io.relight.Events\",\"more\":true}")
        #expect(try deaf.reply()?.continues == true)

        let url = "http://page.test/" + String(repeating: "x", count: 8000)
        var cycles = 0
        while daemon.lines("<4>", "does not read its events and was hung up").isEmpty {
            for _ in 0..<50 {
                try client.open(view: "v", url: url)
                try client.close(view: "v")
                #expect(try reader.next(timeout: .seconds(30)).kind == "viewOpened")
                #expect(try reader.next(timeout: .seconds(30)).kind == "viewClosed")
            }
            cycles += 50
            guard cycles < 5000 else { break }
        }
        #expect(cycles < 5000)
        try deaf.waitForEnd()
        #expect(try client.list().count == 1)
        try client.open(view: "v", url: "about:blank")
        #expect(try reader.next(timeout: .seconds(30)).message == "about:blank")
    }

    @Test func aSubscriberWhoGoesIsForgotten() throws {
        let daemon = try daemon()
        let client = try daemon.client()
        _ = try client.list()
        let before = daemon.descriptorCount
        for _ in 0..<50 { _ = try client.subscribe(view: "a") }
        try eventually("all are gone") { daemon.descriptorCount == before ? true : nil }

        // One that only says that it will send no more still hears what happens.
        let quiet = try RawClient(daemon)
        try quiet.send("{\"method\":\"io.relight.Events\",\"more\":true}")
        quiet.finishSending()
        #expect(try quiet.reply()?.continues == true)
        try client.open(view: "b", url: "about:blank")
        #expect(try quiet.reply()?.parameters?["event"]?["kind"]?.string == "viewOpened")
    }

    @Test func eventsCanBeOfOneViewOnly() throws {
        let daemon = try daemon()
        let client = try daemon.client()
        let all = try client.subscribe()
        let one = try client.subscribe(view: "two")
        for name in ["one", "two", "three"] { try client.open(view: name, url: "about:blank") }
        for name in ["one", "two", "three"] { try client.close(view: name) }
        var heard: [String] = []
        while heard.count < 6 {
            let event = try all.next(timeout: .seconds(30))
            #expect(event.pool == "default")
            heard.append("\(event.kind) \(event.view ?? "")")
        }
        #expect(
            heard == [
                "viewOpened one", "viewOpened two", "viewOpened three", "viewClosed one", "viewClosed two",
                "viewClosed three",
            ])
        #expect(try one.next(timeout: .seconds(30)).kind == "viewOpened")
        #expect(try one.next(timeout: .seconds(30)).kind == "viewClosed")
    }
}

extension DaemonProcess {
    fileprivate var residentKilobytes: Int {
        let status = (try? TextFile.read("/proc/\(pid)/status", limit: 65536)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
