// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Wire

/// What `relight-bench recovery` found out.
struct RecoveryResult: Sendable, Equatable, Codable {
    struct Figures: Sendable, Equatable, Codable {
        var kills = 0
        var recovered = 0
        /// How often it had to be started anew because it gave up.
        var restarts = 0
        var fetched: Quantiles?
        var painted: Quantiles?
        var screen: Quantiles?
        var white: Quantiles?

        private enum CodingKeys: String, CodingKey {
            case kills, recovered, restarts
            case fetched = "fetched_ms"
            case painted = "painted_ms"
            case screen = "screen_ms"
            case white = "white_ms"
        }
    }

    struct Wish: Sendable, Equatable, Codable {
        var name: String
        var value: Double
        var limit: Double
        var isMet: Bool

        private enum CodingKeys: String, CodingKey {
            case name, value, limit
            case isMet = "met"
        }
    }

    var contenders: [String: Figures] = [:]
    var wanted: [Wish] = []
    /// Why a contender is missing.
    var missing: [String: String] = [:]

    /// Compares the figures with what they are wanted to be.
    mutating func compare() {
        func median(_ contender: RecoveryContender) -> Double? { contenders[contender.rawValue]?.painted?.p50 }
        func wish(_ name: String, _ value: Double?, atMost limit: Double) {
            guard let value else { return }
            let rounded = (value * 1000).rounded() / 1000
            wanted.append(Wish(name: name, value: rounded, limit: limit, isMet: value <= limit))
        }
        let content = median(.relightContent)
        let host = median(.relightHost)
        wish("content kill, median ms", content, atMost: 90)
        if let content, let reload = median(.webkitReload), reload > 0 {
            wish("content kill / WebKit's own reload", content / reload, atMost: 0.3)
        }
        if let content, let host, content > 0 { wish("host kill / content kill", host / content, atMost: 1.5) }
        for contender in [RecoveryContender.relightContent, .relightHost] {
            wish("\(contender.rawValue), white ms at most", contenders[contender.rawValue]?.white?.max, atMost: 0)
        }
    }
}

/// Kill to painted, contender by contender. Used on one thread.
final class RecoveryBench {
    private struct Samples {
        var figures = RecoveryResult.Figures()
        var fetched: [UInt64] = []
        var painted: [UInt64] = []
        var screen: [UInt64] = []
        var white: [UInt64] = []
    }

    private let server: PageServer
    private let progress: Progress
    private var samples: [RecoveryContender: Samples] = [:]
    private var missing: [String: String] = [:]

    init(progress: Progress) throws {
        server = try PageServer()
        self.progress = progress
    }

    func run(_ contenders: [RecoveryContender], kills: Int, rounds: Int) -> RecoveryResult {
        for round in 0..<rounds {
            for contender in contenders where missing[contender.rawValue] == nil {
                let count = kills * (round + 1) / rounds - kills * round / rounds
                guard count > 0 else { continue }
                progress.note("\(contender.rawValue): \(count) kills")
                do {
                    try measure(contender, kills: count)
                } catch {
                    missing[contender.rawValue] = "\(error)"
                    progress.warn("\(contender.rawValue): \(error)")
                }
            }
        }
        return result()
    }

    private func measure(_ contender: RecoveryContender, kills: Int) throws {
        var subject = try start(contender)
        defer { subject.stop() }
        for number in 1...kills {
            try subject.settle()
            // The same pause for all, in which each may prepare what it wants to.
            MonotonicClock.sleep(microseconds: 1_500_000)
            let came = try killOnce(subject, contender)
            progress.step(number, of: kills, contender.rawValue)
            if !came, number < kills {
                samples[contender, default: Samples()].figures.restarts += 1
                subject.stop()
                subject = try start(contender)
            }
        }
    }

    private func start(_ contender: RecoveryContender) throws -> any RecoverySubject {
        let subject: any RecoverySubject =
            switch contender {
            case .relightContent: RelightSubject(target: .content)
            case .relightHost: RelightSubject(target: .host)
            case .webkitReload: ReloadSubject()
            case .cog: CogSubject()
            }
        switch contender {
        case .webkitReload where !ReloadSubject.isAvailable():
            throw BenchError("relight-baseline is not built", remedy: "swift build --product relight-baseline")
        case .cog where !CogSubject.isAvailable(): throw BenchError("cog is not installed")
        default: break
        }
        let view = contender.rawValue
        let before = server.log.count
        do {
            try subject.start(url: server.url("/?view=\(view)"))
            let server = server
            let isPainted = MonotonicClock.poll(timeout: 60_000_000, interval: 50_000) { () -> Bool? in
                let seen = server.log.entries(from: before)
                return seen.contains { $0.path == "/painted" && $0.parameter("view") == view } ? true : nil
            }
            guard isPainted == true else { throw BenchError("the page was not painted within 60 s") }
        } catch {
            subject.stop()
            throw error
        }
        return subject
    }

    /// Returns false if the page did not come back.
    private func killOnce(_ subject: any RecoverySubject, _ contender: RecoveryContender) throws -> Bool {
        let view = contender.rawValue
        let pid = try subject.victim()
        let position = server.log.count
        let killedAt = MonotonicClock.now
        guard kill(pid, SIGKILL) == 0 else { throw BenchError("process \(pid) cannot be killed: errno \(errno)") }
        let server = server
        let found = MonotonicClock.poll(timeout: 30_000_000, interval: 10_000) {
            () -> (load: LoggedRequest, beacon: LoggedRequest)? in
            let entries = server.log.entries(from: position).filter { $0.parameter("view") == view }
            guard let load = entries.last(where: { $0.load != nil }), let number = load.load,
                let beacon = entries.first(where: { $0.path == "/painted" && $0.parameter("load") == "\(number)" })
            else { return nil }
            return (load, beacon)
        }
        samples[contender, default: Samples()].figures.kills += 1
        guard let found else { return false }
        samples[contender, default: Samples()].figures.recovered += 1
        samples[contender, default: Samples()].fetched.append(found.load.at - killedAt)
        samples[contender, default: Samples()].painted.append(found.beacon.at - killedAt)
        if let watcher = subject.watcher, let load = found.load.load {
            let seen = MonotonicClock.poll(timeout: 5_000_000) {
                watcher.record.firstPage(showing: load, after: killedAt)
            }
            if let seen { samples[contender, default: Samples()].screen.append(seen - killedAt) }
            // White may come late, when what was held is let go.
            MonotonicClock.sleep(microseconds: 300_000)
            let (record, end) = (watcher.record, MonotonicClock.now)
            let white = record.whiteTime(from: killedAt, to: end)
            if white > 0 { progress.warn("\(view): \(record.whiteLooks(from: killedAt, to: end))") }
            samples[contender, default: Samples()].white.append(white)
        }
        return true
    }

    private func result() -> RecoveryResult {
        func quantiles(_ values: [UInt64]) -> Quantiles? {
            values.isEmpty ? nil : Quantiles(Distribution(microseconds: values))
        }
        var result = RecoveryResult()
        for (contender, samples) in samples {
            var figures = samples.figures
            figures.fetched = quantiles(samples.fetched)
            figures.painted = quantiles(samples.painted)
            figures.screen = quantiles(samples.screen)
            figures.white = quantiles(samples.white)
            result.contenders[contender.rawValue] = figures
        }
        result.missing = missing
        result.compare()
        return result
    }
}
