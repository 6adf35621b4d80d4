// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import RelightKit
import Wire

/// What `relight-bench supervision` found out.
struct SupervisionResult: Sendable, Equatable, Codable {
    var hosts = 0
    var kills = 0
    var recovered = 0
    var start = 0.0
    var killToReady = Quantiles(Distribution(microseconds: []))
    var killToFetched = Quantiles(Distribution(microseconds: []))
    var supervisorPSS: Int?
    var hostPSS: Int?
    var idleSeconds = 0.0
    var idleCPU = 0.0
    var processesLeft = 0
    var wanted: [RecoveryResult.Wish] = []

    private enum CodingKeys: String, CodingKey {
        case hosts, kills, recovered, wanted
        case start = "start_ms"
        case killToReady = "kill_to_ready_ms"
        case killToFetched = "kill_to_fetched_ms"
        case supervisorPSS = "supervisor_pss_kb"
        case hostPSS = "host_pss_kb"
        case idleSeconds = "idle_seconds"
        case idleCPU = "idle_cpu_percent"
        case processesLeft = "processes_left"
    }
}

struct SupervisionOptions: Sendable {
    var hosts = 1000
    var kills = 200
    var idleSeconds: UInt64 = 30
    var seed: UInt64 = 1
    /// Further settings of every pool.
    var settings: [(key: String, value: String)] = []
}

/// Many hosts without a browser engine under one relightd. Used on one thread.
final class SupervisionBench {
    private let options: SupervisionOptions
    private let progress: Progress
    private let server: PageServer
    private let scratch: ScratchDirectory
    private var result = SupervisionResult()

    init(_ options: SupervisionOptions, progress: Progress) throws {
        self.options = options
        self.progress = progress
        server = try PageServer()
        scratch = try ScratchDirectory()
    }

    func run() throws -> SupervisionResult {
        let names = (1...options.hosts).map { "v\($0)" }
        var configuration = RigConfiguration(
            pools: names.map { name in
                .init(
                    name: name,
                    settings: [("Renderer", "builtin"), ("Standby", "no"), ("WarmSlots", "0"), ("Curtain", "no")]
                        + options.settings)
            },
            views: names.map { .init(name: $0, pool: $0, url: server.url("/plain?view=\($0)")) })
        configuration.daemon = [("MaximumViews", "\(max(options.hosts, 1))"), ("LogLevel", "warning")]
        progress.note("starting \(options.hosts) hosts in \(scratch.path)")
        let started = MonotonicClock.now
        let rig = try RelightRig(configuration, scratch: scratch, readyTimeout: 600_000_000)
        defer { rig.stop() }
        result.hosts = options.hosts
        result.start = Distribution.milliseconds(MonotonicClock.now - started)
        try measureIdleness(rig)
        try measureKills(rig, names)
        result.supervisorPSS = max(
            result.supervisorPSS ?? 0, ProcessInventory.proportionalSetSize(of: rig.process.pid) ?? 0)
        progress.note("stopping relightd")
        result.processesLeft = rig.stop()
        server.stop()
        compare()
        return result
    }

    private func measureIdleness(_ rig: RelightRig) throws {
        // What the start left to be done is no idleness.
        MonotonicClock.sleep(microseconds: 3_000_000)
        let pid = rig.process.pid
        result.supervisorPSS = ProcessInventory.proportionalSetSize(of: pid)
        let hosts = try rig.client.status().hosts.prefix(20)
        let sizes = hosts.compactMap { ProcessInventory.proportionalSetSize(of: $0.pid) }.sorted()
        if !sizes.isEmpty { result.hostPSS = sizes[sizes.count / 2] }
        progress.note("idle for \(options.idleSeconds) s")
        let (before, start) = (ProcessInventory.processorTime(of: pid), MonotonicClock.now)
        MonotonicClock.sleep(microseconds: options.idleSeconds * 1_000_000)
        let after = ProcessInventory.processorTime(of: pid)
        guard after >= before else { throw BenchError("relightd ended while it was idle") }
        let (used, elapsed) = (after - before, MonotonicClock.now - start)
        result.idleSeconds = (Double(elapsed) / 100_000).rounded() / 10
        result.idleCPU = (Double(used) / Double(max(elapsed, 1)) * 100_000).rounded() / 1000
    }

    private func measureKills(_ rig: RelightRig, _ names: [String]) throws {
        var generator = SplitMix64(seed: options.seed)
        var ready: [UInt64] = []
        var fetched: [UInt64] = []
        // Each host at most once: the pause before a repeated restart is not what is measured.
        let victims = names.shuffled(using: &generator).prefix(options.kills)
        let events = try rig.client.subscribe()
        for (number, name) in victims.enumerated() {
            let pid = try rig.pid(of: .host, view: name)
            let position = server.log.count
            let killedAt = MonotonicClock.now
            guard kill(pid, SIGKILL) == 0 else { throw BenchError("process \(pid) cannot be killed: errno \(errno)") }
            result.kills += 1
            let end = try waitForEnd(of: name, events)
            if let end {
                result.recovered += 1
                ready.append(end - killedAt)
            } else {
                progress.warn("\(name) did not come back within 30 s")
            }
            let request = server.log.entries(from: position).first { $0.parameter("view") == name }
            if let request { fetched.append(request.at - killedAt) }
            progress.step(number + 1, of: victims.count, "\(result.recovered) came back")
        }
        result.killToReady = Quantiles(Distribution(microseconds: ready))
        result.killToFetched = Quantiles(Distribution(microseconds: fetched))
    }

    /// When the view's incident was over, as this reader of events got to know it.
    private func waitForEnd(of view: String, _ events: EventSubscription) throws -> UInt64? {
        let deadline = MonotonicClock.now + 30_000_000
        while MonotonicClock.now < deadline {
            do {
                let event = try events.next(timeout: .microseconds(Int64(deadline - MonotonicClock.now)))
                if event.kind == "incidentClosed" && event.view == view { return MonotonicClock.now }
            } catch {
                if error.code == .timedOut { return nil }
                throw error
            }
        }
        return nil
    }

    private func compare() {
        func wish(_ name: String, _ value: Double, below limit: Double) {
            result.wanted.append(.init(name: name, value: value, limit: limit, isMet: value < limit))
        }
        wish("idle CPU, percent", result.idleCPU, below: 0.2)
        if let size = result.supervisorPSS { wish("supervisor PSS, KiB", Double(size), below: 40 * 1024) }
    }
}
