// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import RelightKit
import Wire

/// One view of the storm, with what was last done to it.
struct StormPage {
    /// The demo page is some 7,500 pixels high; this is within reach on every screen.
    static let scrollRange = 0...6000

    let view: String
    private(set) var expected: ExpectedState
    private(set) var typedAt: UInt64 = 0

    init(view: String) {
        self.view = view
        expected = ExpectedState(form: FormValues(), scroll: 0, cookies: [:], addressMark: "in=1")
    }

    /// The address before the login; the storm's views start here.
    static func address(of view: String) -> String { "/?view=\(view)" }

    /// Goes through the login, whose redirect leads back to the page, and waits until relightd has its cookies on disk.
    mutating func logIn(_ rig: RelightRig, _ server: PageServer) throws {
        let next = FormCoding.encode("\(Self.address(of: view))&in=1")
        try rig.client.load(view: view, url: server.url("/login?next=\(next)"))
        let view = view
        let loaded = MonotonicClock.poll(timeout: 30_000_000) {
            server.log.last { $0.load != nil && $0.parameter("view") == view && $0.parameter("in") == "1" }
        }
        guard let loaded, let session = loaded.cookie("session"), let remember = loaded.cookie("remember") else {
            throw BenchError("\(view) did not get through the login with its cookies")
        }
        // A script that runs before the new page is there would run in the old one.
        let isThere = MonotonicClock.poll(timeout: 30_000_000) { () -> Bool? in
            let newest = server.log.last { $0.path == "/report" && $0.parameter("view") == view }
            return newest?.parameter("load") == loaded.load.map { "\($0)" } ? true : nil
        }
        guard isThere == true else { throw BenchError("\(view) does not report after its login") }
        expected.cookies["session"] = session
        expected.cookies["remember"] = remember
        try waitForCookies(rig)
    }

    /// Types, scrolls, has new cookies set, and waits until those are acknowledged and the page reports the state.
    mutating func vary(_ rig: RelightRig, _ server: PageServer, using generator: inout SplitMix64) throws {
        expected.form = .random(using: &generator)
        let wanted = Int.random(in: Self.scrollRange, using: &generator)
        let form = String(decoding: try JSON.encode(expected.form), as: UTF8.self)
        let ticks = server.ticks
        let script = "demo.fill(\(form)); demo.tick(); demo.scroll(\(wanted))"
        guard let scroll = try rig.client.evaluate(view: view, script: script).integer else {
            throw BenchError("the script that types into \(view) gave no scroll position")
        }
        typedAt = MonotonicClock.now
        expected.scroll = Int(scroll)
        guard MonotonicClock.poll(timeout: 20_000_000, { server.ticks > ticks ? true : nil }) == true else {
            throw BenchError("\(view) did not fetch its tick")
        }
        noteTick(server.ticks)
        try waitForCookies(rig)
        let (expected, view) = (expected, view)
        let isReported = MonotonicClock.poll(timeout: 20_000_000, interval: 20_000) { () -> Bool? in
            let newest = server.log.last { $0.path == "/report" && $0.parameter("view") == view }
            guard let report = newest.flatMap({ PageReport($0) }) else { return nil }
            return report.form == expected.form && report.scroll == expected.scroll ? true : nil
        }
        guard isReported == true else { throw BenchError("\(view) does not report what was typed into it") }
    }

    /// The views of a pool share its cookies: what one page's tick set is expected of all.
    mutating func noteTick(_ tick: Int) {
        expected.cookies["n"] = "\(tick)"
        expected.cookies["p"] = "\(tick)"
    }

    mutating func noteCookies(of other: StormPage) { expected.cookies = other.expected.cookies }

    private func waitForCookies(_ rig: RelightRig) throws {
        let (expected, view) = (expected.cookies, view)
        var missing = Set(expected.keys)
        let areStored = try MonotonicClock.poll(timeout: 20_000_000, interval: 10_000) { () -> Bool? in
            let stored = Dictionary(
                try rig.client.cookies(view: view).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            missing = Set(expected.filter { stored[$0.key] != $0.value }.keys)
            return missing.isEmpty ? true : nil
        }
        guard areStored == true else {
            let names = missing.sorted().joined(separator: ", ")
            throw BenchError("relightd did not acknowledge cookies of \(view) within 20 s: \(names)")
        }
    }
}
