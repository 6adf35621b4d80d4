// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import RelightKit
import TestSupport
import Testing
import Wire

/// A file with a mistake is named with its line and the remedy; everything else goes on.
@Suite struct BadConfigurationTests {
    @Test func aMistakeIsNamedAndTheOtherViewsGoOn() throws {
        let daemon = try DaemonProcess(files: [
            "pools/default.pool": poolWithoutRenderer,
            "views/bad.view": "[View]\nURL=http://bad.test/\nFulscreen=yes\n",
            "views/good.view": view(),
        ])
        #expect(try daemon.client().list().map(\.name) == ["good"])
        let path = daemon.directory.path + "/etc/views/bad.view"
        let line = try daemon.line("\(path):3: unknown key 'Fulscreen' in [View]; did you mean 'Fullscreen'?")
        #expect(line.hasPrefix("<3>"))
        #expect(line.contains("RELIGHT_FILE=\(path)"))
        #expect(line.contains("MESSAGE_ID=3d54d74475334ad39cb8f116847533b5"))
    }

    @Test func aBrokenPoolTakesOnlyItsOwnViewsWithIt() throws {
        let daemon = try DaemonProcess(files: [
            "pools/default.pool": poolWithoutRenderer, "pools/other.pool": "[Pool]\nWarmSlots=many\n",
            "views/a.view": view(), "views/b.view": view(pool: "other"), "views/c.view": view(pool: "absent"),
        ])
        #expect(try daemon.client().list().map(\.name) == ["a"])
        try daemon.line("pools/other.pool:2: WarmSlots=many")
        try daemon.line("views/b.view:3: pool 'other' cannot be used")
        try daemon.line("views/c.view:3: there is no pool 'absent'")
    }

    @Test func noConfigurationAtAllIsFine() throws {
        let daemon = try DaemonProcess(files: [:])
        #expect(try daemon.client().list().isEmpty)
        TestFiles.removeTree(daemon.directory.path + "/etc")
        try daemon.reload()
        #expect(try daemon.client().list().isEmpty)
        #expect(daemon.lines("<3>").isEmpty)
    }

    @Test func moreViewsThanAllowedAreLeftOutByName() throws {
        let daemon = try DaemonProcess(files: [
            "relight.conf": "[Relight]\nMaximumViews=2\n", "pools/default.pool": poolWithoutRenderer,
            "views/a.view": view(), "views/b.view": view(), "views/c.view": view(),
        ])
        let client = try daemon.client()
        #expect(try client.list().map(\.name) == ["a", "b"])
        try daemon.line("there are 3 views, but MaximumViews=2", "'c' and those after it are left out")
        #expect(throws: ControlError(.failure(.limitReached), "")) { try client.open(view: "d", url: "about:blank") }
    }

    @Test func aBrokenReloadKeepsWhatRuns() throws {
        let daemon = try DaemonProcess(files: [
            "pools/default.pool": poolWithoutRenderer, "pools/p.pool": poolWithoutRenderer,
            "views/a.view": view("http://a.test/"), "views/b.view": view("http://b.test/", pool: "p"),
            "views/c.view": view("http://c.test/"), "views/d.view": view("http://d.test/", pool: "p"),
        ])
        let client = try daemon.client()
        let before = try client.list()
        #expect(before.map(\.name) == ["a", "b", "c", "d"])

        try daemon.replace("views/a.view", with: "[View]\nURL=nonsense\n")
        try daemon.replace("pools/p.pool", with: "[Pool\n")
        try daemon.replace("views/e.view", with: view("http://e.test/"))
        try daemon.reload()
        #expect(try client.list().filter { $0.name != "e" } == before)
        #expect(try client.list().map(\.name) == ["a", "b", "c", "d", "e"])
        try daemon.line("views/a.view:2: URL=nonsense has no scheme")
        try daemon.line("pools/p.pool:1: ")

        // A pool whose file is gone while views still want it is a mistake, too.
        daemon.remove("pools/p.pool")
        try daemon.reload()
        #expect(try client.list().filter { $0.name != "e" } == before)
        try daemon.line("views/b.view:3: there is no pool 'p'")
    }

    /// A file that cannot be read is not a file that was removed.
    @Test func anUnreadableFileKeepsItsViewRunning() throws {
        let daemon = try DaemonProcess(files: [
            "pools/default.pool": poolWithoutRenderer, "views/a.view": view(), "views/b.view": view(),
            "views/c.view": view(), "views/d.view": view(),
        ])
        let client = try daemon.client()
        let before = try client.list()
        let views = daemon.directory.path + "/etc/views"
        for name in ["a", "b"] { unlink("\(views)/\(name).view") }
        #expect(symlink("/nonexistent/a.view", "\(views)/a.view") == 0)
        #expect(mkdir("\(views)/b.view", 0o755) == 0)
        try daemon.replace("views/c.view", with: String(repeating: "#", count: 2 << 20))
        // A drop-in that cannot be read must not be left out as if it did not exist.
        #expect(mkdir("\(views)/d.view.d", 0o755) == 0)
        #expect(symlink("/nonexistent/x.conf", "\(views)/d.view.d/x.conf") == 0)
        // Nor may a pipe hold up the whole of relightd.
        #expect(mkfifo("\(views)/pipe.view", 0o644) == 0)
        try daemon.reload()
        #expect(try client.list() == before)
        try daemon.line("views/a.view: it cannot be read: No such file or directory; make it readable")
        try daemon.line("views/b.view: it cannot be read: Is a directory")
        try daemon.line("views/c.view: ")
        try daemon.line("views/d.view.d/x.conf: it cannot be read")
        try daemon.line("views/pipe.view: it cannot be read: Invalid argument")
    }

    /// A reload in a bad moment: the directory's disk is away.
    @Test func aMissingDirectoryChangesNothing() throws {
        let daemon = try DaemonProcess(files: [
            "pools/default.pool": poolWithoutRenderer, "views/a.view": view(), "views/b.view": view(),
        ])
        let client = try daemon.client()
        let before = try client.list()
        let etc = daemon.directory.path + "/etc"
        #expect(rename(etc, etc + ".away") == 0)
        try daemon.reload()
        try daemon.line("<3>\(etc): the configuration cannot be read: No such file or directory")
        try daemon.line("<3>", "everything stays as it is")
        #expect(try client.list() == before)
        #expect(rename(etc + ".away", etc) == 0)
        daemon.remove("views/b.view")
        try daemon.reload()
        #expect(try client.list().map(\.name) == ["a"])
    }
}
