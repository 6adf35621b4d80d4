// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Something that shows the demo page and brings it back when its process is killed. Used on one thread.
protocol RecoverySubject: AnyObject {
    /// Starts it on the page at an address; returns when it has been started, not when the page is there.
    func start(url: String) throws
    /// The process whose death is measured.
    func victim() throws -> Int32
    /// Waits until it is as ready for the next kill as for the first.
    func settle() throws
    func stop()
    /// What a person would see of it; nil where it has no X window.
    var watcher: ScreenWatcher? { get }
}

/// The names that the command line and the results use.
enum RecoveryContender: String, CaseIterable {
    case relightContent = "relight-content"
    case relightHost = "relight-host"
    case webkitReload = "webkit-reload"
    case cog
}

/// A display of its own, with somebody looking at it.
final class WatchedDisplay {
    let scratch: ScratchDirectory
    let server: XvfbServer
    let watcher: ScreenWatcher

    init() throws {
        scratch = try ScratchDirectory()
        server = try XvfbServer(scratch: scratch)
        watcher = try ScreenWatcher(try FrameBuffer(path: server.frameBufferPath))
    }

    func stop() {
        watcher.stop()
        server.stop()
    }
}
