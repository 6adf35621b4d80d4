// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
import Glibc
package import RelightKit
package import Wire

/// A relightd of a measurement's own, in the foreground, with everything it writes in a directory of its own.
///
/// Used on one thread.
package final class RelightRig {
    package let scratch: ScratchDirectory
    package let process: RunningProcess
    package let client: ControlClient
    package let logPath: String
    package let socketPath: String

    /// Starts relightd and waits until all configured views are ready.
    ///
    /// - Throws: `BenchError` with the end of its log if it or a view does not come up in time.
    package init(
        _ configuration: RigConfiguration, scratch: ScratchDirectory, readyTimeout: UInt64 = 120_000_000
    ) throws {
        self.scratch = scratch
        try configuration.write(into: scratch, directory: "etc")
        let (state, runtime) = (try scratch.directory("state"), try scratch.directory("run"))
        logPath = scratch.path + "/relightd.log"
        socketPath = runtime + "/" + Control.socketName
        let process = try RunningProcess(
            path: try Executables.own("relightd"),
            arguments: ["--config", scratch.path + "/etc", "--state", state, "--runtime", runtime],
            environment: ["NOTIFY_SOCKET": nil, "DISPLAY": nil, "WAYLAND_DISPLAY": nil],
            log: logPath)
        self.process = process
        let (socketPath, logPath) = (socketPath, logPath)
        let client = MonotonicClock.poll(timeout: 20_000_000) { () -> ControlClient? in
            process.isRunning ? try? ControlClient(path: socketPath) : nil
        }
        guard let client else {
            process.stop()
            throw BenchError("relightd did not come up; its log ends so:\n\(Self.tail(of: logPath))")
        }
        self.client = client
        try waitUntilReady(configuration.views.map(\.name), timeout: readyTimeout)
    }

    deinit { stop() }

    private func waitUntilReady(_ names: [String], timeout: UInt64) throws {
        var waiting = Set(names)
        let process = process
        let client = client
        let isReady = try MonotonicClock.poll(timeout: timeout, interval: 50_000) { () -> Bool? in
            guard process.isRunning else { return false }
            let views = try client.list()
            waiting = waiting.subtracting(views.filter { $0.state == .ready }.map(\.name))
            if views.contains(where: { $0.state == .quarantined }) { return false }
            return waiting.isEmpty ? true : nil
        }
        guard isReady == true else {
            let some = waiting.sorted().prefix(5).joined(separator: ", ")
            throw BenchError(
                "\(waiting.count) views did not get ready (\(some)); relightd's log ends so:\n\(Self.tail(of: logPath))"
            )
        }
    }

    /// Waits until every pool has its spares again, so that one kill does not meet what another left.
    ///
    /// Returns false if that takes longer than the timeout, in microseconds.
    @discardableResult
    package func waitUntilSettled(warmSlots: Int, standby: Bool, timeout: UInt64 = 30_000_000) throws -> Bool {
        let client = client
        return try MonotonicClock.poll(timeout: timeout, interval: 50_000) { () -> Bool? in
            let status = try client.status()
            let areReady = status.views.allSatisfy { $0.state == .ready }
            let active = status.hosts.filter { $0.role == "active" }
            let spares = status.hosts.filter { $0.role == "standby" && $0.warmSlots > 0 }
            let hasSpares = active.allSatisfy { $0.warmSlots >= warmSlots } && (!standby || !spares.isEmpty)
            return areReady && !active.isEmpty && hasSpares ? true : nil
        } ?? false
    }

    /// One view as relightd sees it.
    package func view(_ name: String) throws -> Control.View {
        guard let view = try client.status(view: name).views.first else {
            throw BenchError("relightd does not know the view \(name)")
        }
        return view
    }

    /// The process that a target names, as relightd reports it.
    package func pid(of target: Control.KillParameters.Target, view name: String) throws -> Int32 {
        let view = try view(name)
        let pid =
            switch target {
            case .content: view.contentPID
            case .host: view.hostPID
            case .network: view.networkPID
            }
        guard let pid, pid > 1 else { throw BenchError("relightd reports no \(target.rawValue) process of \(name)") }
        return pid
    }

    /// Stops relightd in order; returns how many of its processes were still there afterwards, which are then killed.
    @discardableResult
    package func stop() -> Int { process.stop(graceSeconds: 30) }

    /// The last lines of a file.
    package static func tail(of path: String, lines: Int = 25) -> String {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return "(there is no \(path))" }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(lines).joined(separator: "\n")
    }
}
