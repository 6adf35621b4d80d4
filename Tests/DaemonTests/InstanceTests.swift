// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import RelightKit
import TestSupport
import Testing
import Wire

/// One relightd a runtime directory, from its start to its end.
@Suite struct InstanceTests {
    @Test func aSecondOneRefusesAndNamesTheDirectory() throws {
        let daemon = try DaemonProcess(files: ["views/a.view": view(), "pools/default.pool": poolWithoutRenderer])
        let client = try daemon.client()
        let second = try DaemonProcess(files: [:], directory: daemon.directory, name: "second")
        #expect(try second.waitForExit() >> 8 == 1)
        let line = try second.line("relightd cannot run")
        #expect(line.hasPrefix("<2>"))
        #expect(line.contains("another relightd runs in \(daemon.directory.path)/run"))
        #expect(line.contains("stop it first, or use --runtime"))
        // The first one has kept its socket.
        #expect(try client.list().count == 1)
        #expect(try daemon.client().list().count == 1)
    }

    @Test func asoonAsTheFirstOneIsGoneAnotherCanRun() throws {
        let daemon = try DaemonProcess(files: [:])
        _ = try daemon.client()
        try daemon.signal(SIGKILL)
        try daemon.waitForExit()
        // Killed, it left its socket behind.
        #expect(access(daemon.socketPath, F_OK) == 0)
        try daemon.restart()
        #expect(try daemon.client().list().isEmpty)
        #expect(try daemon.stop() == 0)
        #expect(access(daemon.socketPath, F_OK) != 0)
    }

    @Test func whatStandsInTheSocketsPlaceIsReplacedOrNamed() throws {
        let directory = try TestDirectory()
        try directory.write("", to: "run/io.relight")
        let daemon = try DaemonProcess(files: [:], directory: directory)
        #expect(try daemon.client().list().isEmpty)
        #expect(try daemon.stop() == 0)

        // A directory is nobody's old socket.
        #expect(mkdir(daemon.socketPath, 0o755) == 0)
        try daemon.restart()
        #expect(try daemon.waitForExit() >> 8 == 1)
        try daemon.line("<2>relightd cannot run: cannot listen on \(daemon.socketPath)")
    }

    @Test func aSocketPathThatIsTooLongIsNamed() throws {
        let directory = try TestDirectory()
        let long = directory.path + "/" + String(repeating: "x", count: 100)
        let daemon = try DaemonProcess(files: [:], directory: directory, arguments: ["--runtime", long])
        #expect(try daemon.waitForExit() >> 8 == 1)
        try daemon.line("<2>relightd cannot run: cannot listen on \(long)/io.relight: File name too long")
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalEndsItInOrder(signal: Int32) throws {
        let daemon = try DaemonProcess(files: ["views/a.view": view(), "pools/default.pool": poolWithoutRenderer])
        let client = try daemon.client()
        #expect(try client.list().count == 1)
        let subscription = try client.subscribe()
        #expect(try daemon.stop(signal) == 0)
        #expect(access(daemon.socketPath, F_OK) != 0)
        #expect(try daemon.line("relightd has stopped").hasPrefix("<6>"))
        #expect(throws: ControlError(.disconnected, "")) { while true { _ = try subscription.next() } }
    }

    @Test func aSignalWhileItStartsEndsItToo() throws {
        for _ in 0..<5 {
            let daemon = try DaemonProcess(files: ["views/a.view": view()])
            // As soon as it takes signals at all, which it does before it reads anything.
            try eventually("it catches SIGTERM") { daemon.catches(SIGTERM) ? true : nil }
            #expect(try daemon.stop() == 0)
        }
    }

    /// A reload that comes while the store is still being read.
    @Test func aReloadWhileItStartsLosesNothing() throws {
        let daemon = try DaemonProcess(files: ["views/a.view": view(), "pools/default.pool": poolWithoutRenderer])
        try eventually("it catches SIGHUP") { daemon.catches(SIGHUP) ? true : nil }
        try daemon.signal(SIGHUP)
        #expect(try daemon.client().list().map(\.name) == ["a"])
        try daemon.line("configuration read again")
        #expect(daemon.lines("view a opened").count == 1)
    }

    @Test func aCommandLineThatIsWrongIsExplained() throws {
        let daemon = try DaemonProcess(files: [:], arguments: ["--colour"])
        #expect(try daemon.waitForExit() >> 8 == 64)
        #expect(daemon.log == "relightd: there is no option '--colour'; see relightd --help\n")
    }
}

extension DaemonProcess {
    /// Whether it has a way of its own to deal with a signal: blocked, for its event loop.
    fileprivate func catches(_ signal: Int32) -> Bool {
        let status = (try? TextFile.read("/proc/\(pid)/status", limit: 65536)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        let mask = line.flatMap { UInt64($0.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) } ?? 0
        return mask & (1 << UInt64(signal - 1)) != 0
    }
}
