// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// WebKitGTK's own reload in the same view, by relight-baseline.
final class ReloadSubject: RecoverySubject {
    private var display: WatchedDisplay?
    private var process: RunningProcess?

    var watcher: ScreenWatcher? { display?.watcher }

    static func isAvailable() -> Bool { (try? Executables.own("relight-baseline")) != nil }

    func start(url: String) throws {
        let display = try WatchedDisplay()
        self.display = display
        process = try RunningProcess(
            path: try Executables.own("relight-baseline"), arguments: [url],
            environment: [
                "DISPLAY": display.server.display, "WAYLAND_DISPLAY": nil, "GDK_BACKEND": "x11",
                "XDG_DATA_HOME": try display.scratch.directory("data"),
                "XDG_CACHE_HOME": try display.scratch.directory("cache"),
            ], log: display.scratch.path + "/baseline.log")
    }

    func victim() throws -> Int32 { try contentProcess(of: process, named: "WebKitWebProces") }

    func settle() {}

    func stop() {
        process?.stop()
        display?.stop()
        (process, display) = (nil, nil)
    }
}

/// The cog launcher with its own answer to a dead content process. Without a display: that is how it is fastest.
final class CogSubject: RecoverySubject {
    private var scratch: ScratchDirectory?
    private var process: RunningProcess?

    var watcher: ScreenWatcher? { nil }

    static func isAvailable() -> Bool { Executables.search("cog") != nil }

    func start(url: String) throws {
        guard let path = Executables.search("cog") else { throw BenchError("cog is not installed") }
        let scratch = try ScratchDirectory()
        self.scratch = scratch
        process = try RunningProcess(
            path: path, arguments: ["--platform=headless", "--webprocess-failure=restart", url],
            environment: [
                "DISPLAY": nil, "WAYLAND_DISPLAY": nil,
                "XDG_RUNTIME_DIR": try scratch.directory("run"),
                "XDG_DATA_HOME": try scratch.directory("data"),
                "XDG_CACHE_HOME": try scratch.directory("cache"),
            ], log: scratch.path + "/cog.log")
    }

    func victim() throws -> Int32 { try contentProcess(of: process, named: "WPEWebProcess") }

    func settle() {}

    func stop() {
        process?.stop()
        (process, scratch) = (nil, nil)
    }
}

/// The descendant with a name; names are cut after 15 characters (proc(5)).
private func contentProcess(of process: RunningProcess?, named name: String) throws -> Int32 {
    guard let process, process.isRunning else { throw BenchError("it has exited") }
    let found = ProcessInventory.descendants(of: process.pid).filter { $0.name == name && $0.state != "Z" }
    guard let entry = found.max(by: { $0.pid < $1.pid }) else { throw BenchError("it has no process \(name)") }
    return entry.pid
}
