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

/// relight-builtin as relightd sees it, against real servers.
@Suite struct BuiltinHostTests {
    private func host() throws -> HostUnderTest { try HostUnderTest("relight-builtin") }

    private func navigations(_ host: HostUnderTest) -> [HostMessage.Navigation] {
        host.messages.compactMap { if case .navigation(let navigation) = $0 { navigation } else { nil } }
    }

    private func cookieReports(_ host: HostUnderTest) -> [HostMessage.CookieReport] {
        host.messages.compactMap { if case .cookies(let report) = $0 { report } else { nil } }
    }

    @Test func itShowsAPageAndAnswersQuestionsAboutIt() throws {
        let server = try PageServer()
        let host = try host()
        let slot = try host.show(server.url("/plain?title=Hello%20there"))
        let report = try host.next("page state") { if case .pageState(let report) = $0 { report } else { nil } }
        #expect(report.state.title == "Hello there")
        #expect(navigations(host).map(\.phase) == [.started, .committed, .finished])
        #expect(navigations(host).last?.title == "Hello there")
        #expect(navigations(host).last?.status == 200)
        #expect(try host.evaluate(slot, "document.title").value == .string("Hello there"))
        #expect(
            try host.evaluate(slot, " document.location.href; ").value
                == .string(server.url("/plain?title=Hello%20there")))
        #expect(
            try host.evaluate(slot, "document.body.innerText").value
                == .string("Hello there\n\nA page without scripts."))
        let refused = try host.evaluate(slot, "1 + 1")
        #expect(refused.value == nil && refused.error?.contains("runs no scripts") == true)
        let picture = try host.request { .screenshot(.init(id: $0, slot: slot)) }
        #expect(!picture.hasDescriptor && picture.error?.contains("draws nothing") == true)
        try host.send(.ping(sequence: 5))
        let pong = try host.next("pong") { if case .pong(let pong) = $0 { pong } else { nil } }
        #expect(pong == .init(sequence: 5, slots: [.init(slot: slot, silence: 0)]))
        try host.send(.stop)
        #expect(try host.waitForExit() == 0)
    }

    @Test func itShowsTheDemoPageWithoutItsScripts() throws {
        let server = try PageServer()
        let host = try host()
        let slot = try host.show(server.url("/login"))
        #expect(try host.evaluate(slot, "document.title").value == .string("Relight demo page"))
        let text = try host.evaluate(slot, "document.body.innerText").value?.string ?? ""
        #expect(text.contains("Logged in (session s1)."))
        #expect(!text.contains("LOAD"))
        #expect(try host.evaluate(slot, "document.cookie").value == .string("remember=r1"))
        #expect(server.log.last { $0.path == "/" }?.cookie("session") == "s1")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func itCarriesCookiesOverEveryHop(status: Int) throws {
        let server = try ScriptedServer { request in
            switch request.target {
            case "/1":
                .response(
                    status, ["Location: /dir/2?x#y", "Set-Cookie: a=1", "Set-Cookie: h=1; HttpOnly"], body: "moved")
            case "/dir/2?x": .response(status, ["Location: 3", "Set-Cookie: b=2; Path=/dir", "Set-Cookie: a=2"])
            case "/dir/3": .response(status, ["Location: /4", "Set-Cookie: h=; Max-Age=0; Path=/"])
            default: .response(200, ["Set-Cookie: d=4", "Content-Type: text/html"], body: "<title>End</title>")
            }
        }
        let host = try host()
        let slot = try host.show(server.url("/1"))
        #expect(server.requests.map(\.target) == ["/1", "/dir/2?x", "/dir/3", "/4"])
        #expect(server.requests.map(\.method) == ["GET", "GET", "GET", "GET"])
        #expect(server.requests.map(\.cookies) == ["", "a=1; h=1", "b=2; a=2; a=1; h=1", "a=1"])
        #expect(
            navigations(host).map(\.phase) == [.started, .redirected, .redirected, .redirected, .committed, .finished])
        #expect(navigations(host).last?.url == server.url("/4#y"))
        #expect(try host.evaluate(slot, "document.cookie").value == .string("a=1; d=4"))
        let reports = cookieReports(host)
        #expect(reports.map(\.sequence) == Array(1...UInt64(reports.count)))
        let all = reports.reduce([Cookie]()) { $1.changes.applied(to: $0) }
        #expect(all.map(\.name).sorted() == ["a", "a", "b", "d"])
        #expect(reports.contains { $0.changes.deleted.contains { $0.name == "h" } })
    }

    @Test func itSendsWhatItWasGiven() throws {
        let server = try PageServer()
        let host = try host()
        let given = [
            Cookie(name: "a", value: "1", domain: "127.0.0.1"),
            Cookie(name: "evil", value: "x\r\nInjected: 1", domain: "127.0.0.1"),
            Cookie(name: "other", value: "2", domain: "example.test"),
        ]
        try host.welcome(cookies: given)
        let slot = try host.warmSlot().slot
        try host.bind(slot, server.url("/echo-cookies"), cookies: [Cookie(name: "b", value: "3", domain: "127.0.0.1")])
        #expect(
            try host.stepsOfBind().map(\.step) == [.cookiesIn, .loadStarted, .loadFinished, .firstPaint, .verified])
        #expect(try host.evaluate(slot, "document.body.innerText").value == .string("a=1; b=3"))
        #expect(cookieReports(host).isEmpty)
        let gone = CookieChanges(
            set: [Cookie(name: "c", value: "4", domain: "127.0.0.1")], deleted: [given[0].identity])
        #expect(try host.request { .setCookies(.init(id: $0, changes: gone)) }.error == nil)
        try host.send(.navigate(.init(slot: slot, action: .reload)))
        try host.next("reloaded") { if case .navigation(let n) = $0, n.phase == .finished { true } else { nil } }
        #expect(try host.evaluate(slot, "document.body.innerText").value == .string("b=3; c=4"))
        #expect(cookieReports(host).isEmpty)
    }

    @Test func itGoesBackAndForthAndComesBackWithItsHistory() throws {
        let server = try PageServer()
        let host = try host()
        let slot = try host.show(server.url("/plain?title=One"))
        func go(_ action: SupervisorMessage.Navigate.Action, _ url: String? = nil) throws -> PageState {
            try host.send(.navigate(.init(slot: slot, action: action, url: url)))
            return try host.next("page state") { if case .pageState(let report) = $0 { report.state } else { nil } }
        }
        // That of the bind.
        _ = try host.next("page state") { if case .pageState = $0 { true } else { nil } }
        #expect(try go(.load, server.url("/plain?title=Two")).title == "Two")
        #expect(try go(.load, server.url("/plain?title=Three")).title == "Three")
        #expect(try go(.back).title == "Two")
        let state = try go(.reload)
        #expect(state.title == "Two")

        let second = try self.host()
        try second.welcome()
        let place = try second.warmSlot().slot
        try second.bind(place, state.url, state: state)
        #expect(try second.stepsOfBind().map(\.step).prefix(2) == [.stateIn, .loadStarted])
        try second.send(.navigate(.init(slot: place, action: .forward)))
        try second.next("forward") {
            if case .navigation(let n) = $0, n.phase == .finished, n.title == "Three" { true } else { nil }
        }
    }

    @Test func aPageThatFailsChangesNothing() throws {
        let server = try PageServer()
        let host = try host()
        let slot = try host.show(server.url("/plain?title=One"))
        for url in ["http://127.0.0.1:1/", "ftp://127.0.0.1/", "nonsense", server.url("/redirect-chain?n=30")] {
            try host.send(.navigate(.init(slot: slot, action: .load, url: url)))
            let failed = try host.next("failed") {
                if case .navigation(let n) = $0, n.phase == .failed { n } else { nil }
            }
            #expect(failed.error?.isEmpty == false)
        }
        #expect(try host.evaluate(slot, "document.title").value == .string("One"))
        try host.send(.navigate(.init(slot: slot, action: .reload)))
        try host.next("finished") { if case .navigation(let n) = $0, n.phase == .finished { true } else { nil } }
        #expect(server.log.last { _ in true }?.target == "/plain?title=One")
    }

    @Test func manySlotsLoadAtOnce() throws {
        let server = try PageServer()
        let host = try host()
        try host.welcome(warmSlots: 20)
        let slots = try (0..<20).map { _ in try host.warmSlot().slot }
        for (index, slot) in slots.enumerated() {
            try host.send(
                .bind(.init(bind: UInt64(1000 + index), slot: slot, view: "v\(index)", url: server.url("/slow?ms=200")))
            )
        }
        var verified: Set<Int> = []
        try host.next("all verified") { message in
            if case .progress(let progress) = message, progress.step == .verified { verified.insert(progress.slot) }
            return verified.count == 20 ? true : nil
        }
        // Each bind made room for another one.
        #expect(host.messages.count { if case .slotReady = $0 { true } else { false } } == 40)
    }

    @Test(arguments: ["/status/404", "/status/500"])
    func anErrorPageIsAPage(path: String) throws {
        let server = try PageServer()
        let host = try host()
        let slot = try host.show(server.url(path))
        #expect(navigations(host).last?.status == Int(path.suffix(3)))
        #expect(try host.evaluate(slot, "document.body.innerText").value == .string("status \(path.suffix(3))"))
    }

    @Test func itEndsWithItsSupervisor() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let path = try DaemonProcess.builtProducts() + "/relight-builtin"
        let process = try ChildProcess.spawn(
            path: path, arguments: [path], environment: ["\(RendererProtocol.socketVariable)=3"],
            descriptors: [nil, nil, nil, theirs])
        let connection = FramedConnection(socket: ours)
        try eventually("hello") { try connection.receive().isEmpty ? nil : true }
        shutdown(ours.raw, Int32(SHUT_RDWR))
        let status: Int32 = try eventually("it ends") {
            var status: Int32 = 0
            return waitpid(process.pid, &status, WNOHANG) == process.pid ? status : nil
        }
        #expect(status == 0)
    }
}
