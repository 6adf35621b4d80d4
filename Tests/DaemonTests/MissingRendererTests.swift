// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import RelightKit
import TestSupport
import Testing
import Wire

/// Renderers that cannot be started: said clearly, tried again with pauses, and nobody else's business.
@Suite struct MissingRendererTests {
    @Test func aMissingRendererIsNamedAndTriedAgainWithAPause() throws {
        let daemon = try DaemonProcess(files: [
            "pools/default.pool": "[Pool]\nRenderer=/nonexistent/renderer\nRestartBackoff=20s\n",
            "views/lobby.view": view(),
        ])
        let client = try daemon.client()
        let line = try daemon.line("cannot start /nonexistent/renderer: No such file or directory")
        #expect(line.hasPrefix("<3>"))
        #expect(line.contains("Install it, or set Renderer= in the pool's file"))
        #expect(line.contains("RELIGHT_POOL=default"))
        #expect(line.contains("MESSAGE_ID="))
        #expect(try client.list().map(\.state) == [.starting])
        // The second try comes at once; the third one not before the pause.
        try eventually("a second try") { daemon.lines("cannot start /nonexistent/renderer").count == 2 ? true : nil }
        for _ in 0..<50 { _ = try client.status() }
        #expect(daemon.lines("cannot start /nonexistent/renderer").count == 2)
    }

    @Test(arguments: [
        ("", mode_t(0o644), "Permission denied", "executable for relightd's user"),
        ("no program at all", 0o755, "Exec format error", "See the error"),
        ("#!/nonexistent/interpreter\n", 0o755, "No such file or directory", "Install it"),
    ])
    func aRendererThatIsNoProgramIsNamed(text: String, mode: mode_t, reason: String, remedy: String) throws {
        let directory = try TestDirectory()
        let renderer = directory.path + "/renderer"
        try directory.write(text, to: "renderer")
        #expect(chmod(renderer, mode) == 0)
        let daemon = try DaemonProcess(
            files: ["pools/default.pool": "[Pool]\nRenderer=\(renderer)\n", "views/lobby.view": view()],
            directory: directory)
        try daemon.line("<3>", "cannot start \(renderer): \(reason)", remedy)
        #expect(try daemon.client().list().map(\.state) == [.starting])
    }
}
