// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
import Glibc
import RelightKit
import Wire

/// Shows a person what Relight does: two kills of one page, with what happened and what came back.
///
/// Used on one thread. Everything it starts ends with it; the pictures stay.
final class Demo {
    private static let view = "demo"
    private let server: PageServer?
    private let url: String
    private let output: String
    private let scratch: ScratchDirectory
    private let display: XvfbServer
    private let frameBuffer: FrameBuffer
    private let watcher: ScreenWatcher
    private let rig: RelightRig
    private var page = StormPage(view: Demo.view)
    private var generator = SplitMix64(seed: 2)

    init(url: String?, output: String?) throws {
        server = url == nil ? try PageServer() : nil
        self.url = url ?? server?.url(StormPage.address(of: Self.view)) ?? ""
        if let output {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            self.output = output
        } else {
            let pictures = try ScratchDirectory(prefix: "relight-demo")
            pictures.isKept = true
            self.output = pictures.path
        }
        scratch = try ScratchDirectory()
        Terminal.print("Starting a display, relightd and the page. This takes some seconds.")
        display = try XvfbServer(scratch: scratch)
        frameBuffer = try FrameBuffer(path: display.frameBufferPath)
        watcher = try ScreenWatcher(frameBuffer)
        rig = try RelightRig(
            RigConfiguration(
                pools: [RigConfiguration.kioskPool("demo", display: display.display, warmSlots: 1)],
                views: [.init(name: Self.view, pool: "demo", url: self.url)]),
            scratch: scratch)
    }

    /// Returns true if the page came back both times.
    func run() throws -> Bool {
        defer { stop() }
        if let server {
            try page.logIn(rig, server)
            try page.vary(rig, server, using: &generator)
            Terminal.print(
                "The page is logged in, its form is filled, and it is scrolled to \(page.expected.scroll) px.")
        } else {
            _ = try rig.client.evaluate(
                view: Self.view, script: "window.scrollTo(0, document.documentElement.scrollHeight / 3); 0")
        }
        try rig.waitUntilSettled(warmSlots: 1, standby: true)
        MonotonicClock.sleep(microseconds: 1_200_000)
        let content = try killOnce(.content, "the content process (where the page's scripts run)", picture: 1)
        try rig.waitUntilSettled(warmSlots: 1, standby: true)
        MonotonicClock.sleep(microseconds: 1_200_000)
        let host = try killOnce(.host, "the whole host: the window, the network process and all pages", picture: 3)
        Terminal.print("\nPictures of the screen: \(output)")
        return content && host
    }

    private func killOnce(
        _ target: Control.KillParameters.Target, _ what: String, picture: Int
    ) throws -> Bool {
        let pid = try rig.pid(of: target, view: Self.view)
        let before = try savePicture("\(picture)-before-\(target.rawValue)-kill.png")
        let known = Set(try rig.client.incidents(view: Self.view).map(\.id))
        let oldLoad = server?.log.last { $0.load != nil }?.load ?? 0
        let position = max(0, (server?.log.count ?? 0) - 200)
        Terminal.print("\n" + Terminal.bold("kill -9 \(pid)") + ": \(what)")
        let killedAt = MonotonicClock.now
        guard kill(pid, SIGKILL) == 0 else { throw BenchError("process \(pid) cannot be killed: errno \(errno)") }
        let incident = try MonotonicClock.poll(timeout: 60_000_000, interval: 20_000) {
            try rig.client.incidents(view: Self.view).first { $0.closedAt != nil && !known.contains($0.id) }
        }
        guard let incident else {
            Terminal.print(
                Terminal.red("No incident was closed within 60 s.") + "\n" + RelightRig.tail(of: rig.logPath))
            return false
        }
        MonotonicClock.sleep(microseconds: 1_000_000)
        let white = watcher.record.whiteTime(from: killedAt, to: MonotonicClock.now)
        let after = try savePicture("\(picture + 1)-after-\(target.rawValue)-kill.png")
        try printIncident(incident)
        let isBack = printWhatCameBack(incident, killedAt: killedAt, oldLoad: oldLoad, position: position)
        if server != nil { Terminal.print("White on the screen: \(Distribution.milliseconds(white)) ms.") }
        Terminal.print("Before: \(before)\nAfter:  \(after)")
        return isBack && incident.outcome == "recovered"
    }

    private func printIncident(_ incident: Control.Incident) throws {
        let command = ["incidents", Self.view, "--limit", "1"]
        Terminal.print(Terminal.faint("$ relightctl \(command.joined(separator: " "))"))
        let tool = try RunningProcess(
            path: try Executables.own("relightctl"), arguments: command,
            environment: [ControlSocket.variable: rig.socketPath], sharesOutput: true)
        _ = tool.waitForExit(timeout: 20_000_000)
        Terminal.print(Terminal.faint("$ journalctl RELIGHT_INCIDENT=\(incident.id)   (here from relightd's own log)"))
        let log = RelightRig.tail(of: rig.logPath, lines: 400).split(separator: "\n")
        for line in log where line.contains(incident.id) { Terminal.print("\(line)") }
    }

    private func printWhatCameBack(
        _ incident: Control.Incident, killedAt: UInt64, oldLoad: Int, position: Int
    ) -> Bool {
        guard let server else { return true }
        let evidence = KillEvidence(
            view: Self.view, killedAt: killedAt,
            closedAt: UInt64(max(0, Int64(incident.closedAt ?? 0) + MonotonicClock.offsetFromRealtime)),
            oldLoad: oldLoad, requests: server.log.entries(from: position))
        let verdict = KillVerdict(evidence, expected: page.expected)
        func line(_ name: String, _ isGood: Bool, _ text: String) {
            Terminal.print("  \(isGood ? Terminal.green("✓") : Terminal.red("✗")) \(Terminal.pad(name, 16))\(text)")
        }
        Terminal.print("What the page's server saw afterwards:")
        let cookies = page.expected.cookies.keys.sorted().joined(separator: ", ")
        line(
            "cookies", verdict.lostCookies.isEmpty,
            verdict.lostCookies.isEmpty ? "all with their last values: \(cookies)" : "lost: \(verdict.lostCookies)")
        line(
            "form and scroll", verdict.stale.isEmpty,
            verdict.stale.isEmpty ? "as they were (\(page.expected.scroll) px)" : verdict.stale.joined(separator: "; "))
        for (name, lost) in [("localStorage", verdict.lostLocalStorage), ("IndexedDB", verdict.lostIndexedDB)] {
            line(
                name, lost.map { $0 <= KillVerdict.ageLimit } ?? false,
                lost.map { "lost the last \(Distribution.milliseconds($0)) ms of a counter" } ?? "not there")
        }
        if let load = evidence.newLoad?.load,
            let seen = watcher.record.firstPage(showing: load, after: killedAt)
        {
            Terminal.print("Kill to painted on the screen: \(Distribution.milliseconds(seen - killedAt)) ms.")
        }
        return verdict.isBack && verdict.lostCookies.isEmpty && verdict.stale.isEmpty
    }

    private func savePicture(_ name: String) throws -> String {
        let path = output + "/" + name
        try Data(PNG.encode(Bitmap(copying: frameBuffer))).write(to: URL(filePath: path))
        return path
    }

    private func stop() {
        rig.stop()
        watcher.stop()
        display.stop()
        server?.stop()
    }
}
