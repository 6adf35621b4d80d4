// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Configuration
import EventLoop
import Glibc
import Platform
import Systemd

/// A private X server (Xvfb) for a pool with `Display=headless`.
final class PrivateDisplay {
    let process: ChildProcess
    var name: String?
    var sources: [AnyObject] = []
    /// Hosts that wait for it.
    var waiting: [([String: String]) -> Void] = []
    private(set) var received = ""
    let pipe: FileDescriptor

    var pid: Int32 { process.pid }

    init(geometry: Geometry, output: FileDescriptor?) throws(SystemError) {
        let (ours, theirs) = try UnixSocket.pair()
        pipe = ours
        // -displayfd lets the server choose a free number and say it when it takes connections (Xserver(1)).
        process = try ChildProcess.spawn(
            path: "/usr/bin/Xvfb",
            arguments: [
                "Xvfb", "-displayfd", "3", "-screen", "0", "\(geometry.width)x\(geometry.height)x24", "-nolisten",
                "tcp",
                "-noreset",
            ],
            environment: ["PATH=/usr/bin:/bin"], descriptors: [nil, nil, output, theirs])
    }

    /// Reads what the server says; true once its number is known.
    func read() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(pipe.raw, &bytes, bytes.count)
        guard count > 0, received.utf8.count < 64 else { return false }
        received += String(decoding: bytes.prefix(count), as: UTF8.self)
        guard name == nil, received.hasSuffix("\n"), let number = Int(received.dropLast()) else { return name != nil }
        name = ":\(number)"
        return true
    }
}

extension Daemon {
    /// Calls `body` with the variables that lead to the pool's display, at once or when a private one is up.
    func whenDisplayIsReady(
        of pool: String, _ settings: PoolSettings, _ body: @escaping ([String: String]) -> Void
    ) {
        switch settings.display {
        case .session: body([:])
        case .x11(let name): body(["DISPLAY": name, "GDK_BACKEND": "x11"])
        case .wayland(let name): body(["WAYLAND_DISPLAY": name, "GDK_BACKEND": "wayland"])
        case .headless where settings.renderer == .builtin: body([:])
        case .headless:
            if let display = displays[pool], let name = display.name {
                return body(["DISPLAY": name, "GDK_BACKEND": "x11"])
            }
            do {
                let display = try displays[pool] ?? startDisplay(for: pool, settings.geometry)
                display.waiting.append(body)
            } catch {
                log(
                    "cannot start a private display for pool \(pool): \(error). Install Xvfb, or set Display= in the "
                        + "pool's file", .error, pool: pool)
            }
        }
    }

    private func startDisplay(for pool: String, _ geometry: Geometry) throws -> PrivateDisplay {
        let display = try PrivateDisplay(geometry: geometry, output: nil)
        displays[pool] = display
        display.sources = [
            try loop.watch(fd: display.pipe.raw, events: .readable) { [unowned self] _ in
                assumeIsolated { $0.displaySpoke(pool) }
            },
            try loop.watchChild(pidfd: display.process.pidfd.raw) { [unowned self] exit in
                assumeIsolated { $0.displayExited(pool, exit) }
            },
        ]
        return display
    }

    private func displaySpoke(_ pool: String) {
        guard let display = displays[pool] else { return }
        let isReady = display.read()
        guard isReady, let name = display.name else { return }
        (display.sources.first as? Source)?.cancel()
        let waiting = display.waiting
        display.waiting = []
        for body in waiting { body(["DISPLAY": name, "GDK_BACKEND": "x11"]) }
    }

    /// Its hosts die with it and are restarted by the machine; the next one starts a new display.
    private func displayExited(_ pool: String, _ exit: ChildExit) {
        displays[pool] = nil
        if !isStopping { log("the private display of pool \(pool) \(exit)", .warning, pool: pool) }
    }

    func stopDisplays() {
        for display in displays.values { attempt("stop a display") { try display.process.signal(SIGTERM) } }
    }
}
