// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import RelightKit
import Wire

/// Kills a process behind a page again and again, and judges from outside what came back.
///
/// Used on one thread.
package final class Storm {
    private let options: StormOptions
    private let scratch: ScratchDirectory
    private let server: PageServer
    private let display: XvfbServer
    private let watcher: ScreenWatcher
    private let rig: RelightRig
    private let events: EventSubscription
    private var pages: [StormPage]
    private var generator: SplitMix64
    private var summary = StormSummary()
    private var recoveries: [UInt64] = []
    private var whites: [UInt64] = []
    private let progress: Progress

    /// Starts the page server, the display and relightd.
    ///
    /// - Throws: `BenchError` if one of them does not come up.
    package init(_ options: StormOptions, progress: Progress) throws {
        self.options = options
        self.progress = progress
        generator = SplitMix64(seed: options.seed)
        scratch = try ScratchDirectory()
        scratch.isKept = options.keepsScratch
        server = try PageServer()
        progress.note("starting Xvfb and relightd in \(scratch.path)")
        display = try XvfbServer(scratch: scratch)
        watcher = try ScreenWatcher(try FrameBuffer(path: display.frameBufferPath))
        let names = (1...options.views).map { "storm\($0)" }
        let server = server
        rig = try RelightRig(
            RigConfiguration(
                pools: [
                    RigConfiguration.kioskPool("storm", display: display.display, warmSlots: min(options.views, 4))
                ],
                views: names.map { .init(name: $0, pool: "storm", url: server.url(StormPage.address(of: $0))) }),
            scratch: scratch)
        events = try rig.client.subscribe()
        pages = names.map { StormPage(view: $0) }
    }

    /// Runs the whole storm.
    ///
    /// - Throws: `BenchError` if it cannot go on; a page that is lost or stale is no such error, but counted.
    package func run() throws -> StormSummary {
        do {
            return try runAll()
        } catch {
            // The order matters: hosts without a display would add failures of their own to the log.
            stop()
            scratch.isKept = true
            let place = summary.kills > 0 ? "after kill \(summary.kills)" : "before the first kill"
            throw BenchError("\(place): \(error)", remedy: "relightd's log is \(rig.logPath)")
        }
    }

    private func runAll() throws -> StormSummary {
        for index in pages.indices {
            try pages[index].logIn(rig, server)
            for other in pages.indices { pages[other].noteCookies(of: pages[index]) }
        }
        for index in pages.indices { try vary(index) }
        try settle()
        summary.target = options.target.rawValue
        summary.seed = options.seed
        summary.views = options.views
        summary.descriptorsBefore = ProcessInventory.descriptorCount(of: rig.process.pid)
        let (started, before) = (MonotonicClock.now, watcher.record)
        for number in 1...options.kills {
            try round(number)
        }
        let record = watcher.record
        summary.looksPerSecond = (record.looks - before.looks) * 1_000_000 / Int(MonotonicClock.now - started)
        summary.longestGap = Distribution.milliseconds(record.longestGap)
        finish()
        return summary
    }

    private func vary(_ index: Int) throws {
        try pages[index].vary(rig, server, using: &generator)
        for other in pages.indices { pages[other].noteTick(server.ticks) }
    }

    private func settle() throws {
        let isSettled = try rig.waitUntilSettled(warmSlots: 1, standby: true)
        if !isSettled { progress.warn("the spares were not replaced within 30 s; going on") }
    }

    private func round(_ number: Int) throws {
        let victim = Int.random(in: pages.indices, using: &generator)
        try vary(victim)
        // What is younger than a second may be lost; where in relightd's second the kill falls is left to chance.
        let age = KillVerdict.ageLimit + UInt64.random(in: 0...300_000, using: &generator)
        let due = pages[victim].typedAt + age
        if due > MonotonicClock.now { MonotonicClock.sleep(microseconds: due - MonotonicClock.now) }

        let pid = try rig.pid(of: options.target, view: pages[victim].view)
        let affected = options.target == .content ? [victim] : Array(pages.indices)
        let oldLoads = affected.map { currentLoad(of: pages[$0].view) }
        // The reports of some seconds before are needed to see what the counters lost.
        let logStart = max(0, server.log.count - 200 * pages.count)
        let killedAt = MonotonicClock.now
        guard kill(pid, SIGKILL) == 0 else { throw BenchError("process \(pid) cannot be killed: errno \(errno)") }
        let closings = try waitForClosing(of: affected.map { pages[$0].view }, killedAt: killedAt)

        var outcome = RoundOutcome()
        for (index, oldLoad) in zip(affected, oldLoads) {
            let page = pages[index]
            guard let incident = closings[page.view] else {
                outcome.problems.append("\(page.view): no incident was closed within 60 s")
                continue
            }
            let evidence = gather(page, killedAt: killedAt, incident: incident, oldLoad: oldLoad, logStart: logStart)
            outcome.add(page, evidence, incident, KillVerdict(evidence, expected: page.expected), watcher.record)
        }
        MonotonicClock.sleep(microseconds: 300_000)
        let (record, end) = (watcher.record, MonotonicClock.now)
        outcome.white = record.whiteTime(from: killedAt, to: end)
        outcome.whiteLooks = record.whiteLooks(from: killedAt, to: end)
        note(outcome, number: number)
        try settle()
    }

    private func currentLoad(of view: String) -> Int {
        server.log.last { $0.load != nil && $0.parameter("view") == view }?.load ?? 0
    }

    /// The incident of each view, once it is closed; views without one are missing.
    private func waitForClosing(of views: [String], killedAt: UInt64) throws -> [String: Control.Incident] {
        var closed: [String: Control.Incident] = [:]
        let deadline = killedAt + 60_000_000
        let realtime = MonotonicClock.offsetFromRealtime
        while closed.count < views.count, MonotonicClock.now < deadline {
            let left = Duration.microseconds(Int64(deadline - MonotonicClock.now))
            guard let event = try nextEvent(timeout: left) else { break }
            guard event.kind == "incidentClosed", let incident = event.incident, views.contains(incident.view),
                Int64(incident.closedAt ?? 0) + realtime >= Int64(killedAt)
            else { continue }
            closed[incident.view] = incident
        }
        return closed
    }

    private func nextEvent(timeout: Duration) throws -> Control.Event? {
        do {
            return try events.next(timeout: timeout)
        } catch {
            if error.code == .timedOut { return nil }
            throw error
        }
    }

    /// Waits until the page has reported after the incident's end, for the verdict to have something to judge.
    private func gather(
        _ page: StormPage, killedAt: UInt64, incident: Control.Incident, oldLoad: Int, logStart: Int
    ) -> KillEvidence {
        let closedAt = UInt64(max(0, Int64(incident.closedAt ?? 0) + MonotonicClock.offsetFromRealtime))
        func evidence() -> KillEvidence {
            KillEvidence(
                view: page.view, killedAt: killedAt, closedAt: closedAt, oldLoad: oldLoad,
                requests: server.log.entries(from: logStart))
        }
        // One report that fits is not enough: it has to be so half a second later, too.
        let settled = MonotonicClock.poll(timeout: 3_000_000, interval: 100_000) { () -> KillEvidence? in
            let seen = evidence()
            guard let last = seen.reports.last, last.at > closedAt + 500_000 else { return nil }
            return seen
        }
        return settled ?? evidence()
    }

    private func note(_ outcome: RoundOutcome, number: Int) {
        summary.kills = number
        if outcome.problems.isEmpty && !outcome.isAnyGone { summary.recovered += 1 }
        summary.lostAcknowledgedCookies += outcome.lostCookies
        summary.staleState += outcome.stale
        summary.requestsWithoutCookies += outcome.requestsWithoutCookies
        summary.lostCounters.localStorage = Self.larger(summary.lostCounters.localStorage, outcome.lostLocalStorage)
        summary.lostCounters.indexedDB = Self.larger(summary.lostCounters.indexedDB, outcome.lostIndexedDB)
        recoveries.append(contentsOf: outcome.recoveries)
        whites.append(outcome.white)
        for problem in outcome.problems { progress.warn("kill \(number): \(problem)") }
        if outcome.white > 0 { progress.warn("kill \(number): white: \(outcome.whiteLooks)") }
        progress.step(
            number, of: options.kills,
            "\(summary.recovered) recovered, "
                + "median \(Distribution(microseconds: recoveries).p50.map { "\($0) ms" } ?? "-"), "
                + "white at most \(Distribution(microseconds: whites).max ?? 0) ms")
    }

    private static func larger(_ a: Double?, _ b: UInt64?) -> Double? {
        b.map { max(a ?? 0, Distribution.milliseconds($0)) } ?? a
    }

    private func finish() {
        summary.recovery = Quantiles(Distribution(microseconds: recoveries))
        let white = Distribution(microseconds: whites)
        summary.white = .init(p50: white.p50, max: white.max)
        summary.descriptorsAfter = ProcessInventory.descriptorCount(of: rig.process.pid)
        summary.zombies = ProcessInventory.zombies(below: rig.process.pid)
        progress.note("stopping relightd")
        stop()
        if !summary.isClean {
            scratch.isKept = true
            progress.warn("something was lost; relightd's log is \(rig.logPath)")
        }
    }

    private func stop() {
        summary.processesLeft = rig.stop()
        watcher.stop()
        display.stop()
        server.stop()
    }
}
