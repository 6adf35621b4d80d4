// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import EventLoop
import Glibc
import Platform
import Systemd
import TestSupport
import Testing

// What a service manager says through the environment is for a whole process, so these tests have one each (exit tests,
// Swift 6.2 and newer).
#if compiler(>=6.2)
private struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

private func expect(_ found: String, _ wanted: String) throws {
    guard found == wanted else { throw Unexpected(description: "\(found.debugDescription), not \(wanted)") }
}

/// Runs the body; an error ends the process with status 1.
private func orFail(_ body: () throws -> Void) {
    do {
        try body()
    } catch {
        Environment.printError("\(error)\n")
        _exit(1)
    }
}

@Suite struct NotifierTests {
    @Test func nobodyListens() async {
        await #expect(processExitsWith: .success) {
            orFail {
                unsetenv("NOTIFY_SOCKET")
                try expect("\(Notifier().isActive)", "false")
                try Notifier().ready(status: "hello")
                try Notifier().storeDescriptors([FileDescriptor.duplicate(of: 0)], name: "x")
            }
        }
    }

    @Test func itSaysWhatTheServiceManagerUnderstands() async {
        await #expect(processExitsWith: .success) {
            orFail {
                let manager = try NotificationSocket()
                setenv("NOTIFY_SOCKET", manager.path, 1)
                let notifier = Notifier()
                try expect("\(notifier.isActive)", "true")
                try notifier.ready()
                try expect(try manager.receive().text, "READY=1")
                try notifier.ready(status: "1 of 2\nviews ready")
                try expect(try manager.receive().text, "READY=1\nSTATUS=1 of 2 views ready")
                try notifier.status("fine")
                try expect(try manager.receive().text, "STATUS=fine")
                try notifier.stopping()
                try expect(try manager.receive().text, "STOPPING=1")
                try notifier.watchdog()
                try expect(try manager.receive().text, "WATCHDOG=1")
                try notifier.triggerWatchdog()
                try expect(try manager.receive().text, "WATCHDOG=trigger")
                try notifier.extendTimeout(by: 5_000_000)
                try expect(try manager.receive().text, "EXTEND_TIMEOUT_USEC=5000000")
                try notifier.mainProcess(42)
                try expect(try manager.receive().text, "MAINPID=42")

                let before = EventLoop.monotonicMicroseconds
                try notifier.reloading()
                let reloading = try manager.receive().text
                try expect(String(reloading.prefix(27)), "RELOADING=1\nMONOTONIC_USEC=")
                let time = UInt64(reloading.dropFirst(27)) ?? 0
                try expect("\((before...EventLoop.monotonicMicroseconds).contains(time))", "true")
            }
        }
    }

    @Test func descriptorsAreStoredUnderAName() async {
        await #expect(processExitsWith: .success) {
            orFail {
                let manager = try NotificationSocket()
                setenv("NOTIFY_SOCKET", manager.path, 1)
                let (ours, theirs) = try UnixSocket.pair()
                try Notifier().storeDescriptors([theirs, theirs], name: "host-1")
                let message = try manager.receive()
                try expect(message.text, "FDSTORE=1\nFDNAME=host-1")
                try expect("\(message.descriptors.count)", "2")
                // It is the same socket.
                try expect("\(write(message.descriptors[0].raw, "x", 1))", "1")
                var byte: UInt8 = 0
                try expect("\(read(ours.raw, &byte, 1))", "1")
                try Notifier().forgetDescriptors(name: "host-1")
                try expect(try manager.receive().text, "FDSTOREREMOVE=1\nFDNAME=host-1")
                for name in ["", "a:b", "a\nb", "ä", String(repeating: "x", count: 256)] {
                    do {
                        try Notifier().storeDescriptors([theirs], name: name)
                    } catch {
                        continue
                    }
                    throw Unexpected(description: "the name '\(name)' was taken")
                }
            }
        }
    }

    @Test func aBarrierWaitsForTheServiceManager() async {
        await #expect(processExitsWith: .success) {
            orFail {
                let manager = try NotificationSocket()
                setenv("NOTIFY_SOCKET", manager.path, 1)
                spawnThread {
                    // The message's descriptor is closed as soon as it has been read.
                    let text = (try? manager.receive().text) ?? ""
                    if text != "BARRIER=1" { _exit(2) }
                }
                try Notifier().barrier(timeout: 30_000_000)
                do {
                    try Notifier().barrier(timeout: 10_000)
                } catch {
                    return try expect("\(error)", "cannot wait for the service manager: Connection timed out")
                }
                throw Unexpected(description: "nobody read the message, but the barrier came back")
            }
        }
    }

    @Test func theLoopAnswersTheWatchdog() async {
        await #expect(processExitsWith: .success) {
            orFail {
                let manager = try NotificationSocket()
                setenv("NOTIFY_SOCKET", manager.path, 1)
                setenv("WATCHDOG_USEC", "200000", 1)
                setenv("WATCHDOG_PID", "\(getpid())", 1)
                let loop = try EventLoop()
                try expect("\(try loop.enableWatchdog())", "true")
                spawnThread {
                    // The first is sent at once, the next by the loop.
                    for _ in 0..<3 where (try? manager.receive().text) != "WATCHDOG=1" { _exit(2) }
                    loop.exit(code: 0)
                }
                try loop.run()
            }
        }
    }

    @Test func noWatchdogIsNoError() async {
        await #expect(processExitsWith: .success) {
            orFail {
                unsetenv("WATCHDOG_USEC")
                try expect("\(try EventLoop().enableWatchdog())", "false")
            }
        }
    }
}

@Suite struct SocketActivationTests {
    // That descriptors are taken, once, is shown under systemd in SystemTests: here 3 and 4 are the test runner's own, and
    // putting others in their place ends it now and then.

    @Test func thoseOfAnotherProcessAreLeft() async {
        await #expect(processExitsWith: .success) {
            orFail {
                setenv("LISTEN_PID", "1", 1)
                setenv("LISTEN_FDS", "1", 1)
                try expect("\(try SocketActivation.take().count)", "0")
            }
        }
    }
}

@Suite struct ServiceCredentialsTests {
    @Test func theDirectoryComesFromTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            orFail {
                unsetenv("CREDENTIALS_DIRECTORY")
                try expect("\(Credentials.ofService() == nil)", "true")
                setenv("CREDENTIALS_DIRECTORY", "not/absolute", 1)
                try expect("\(Credentials.ofService() == nil)", "true")
                setenv("CREDENTIALS_DIRECTORY", "/run/credentials/x", 1)
                try expect(Credentials.ofService()?.directory ?? "", "/run/credentials/x")
            }
        }
    }
}
#endif

@Suite struct CredentialsTests {
    @Test func aCredentialIsRead() throws {
        let directory = try TestDirectory()
        try directory.write("secret", to: "key")
        let credentials = Credentials(directory: directory.path)
        #expect(try credentials.read("key") == Array("secret".utf8))
        #expect(try credentials.read("key", limit: 6) == Array("secret".utf8))
        #expect(try credentials.read("none") == nil)
    }

    @Test func whatIsNoCredentialIsRefused() throws {
        let directory = try TestDirectory()
        try directory.write("secret", to: "key")
        symlink(directory.path + "/key", directory.path + "/link")
        mkdir(directory.path + "/folder", 0o700)
        let credentials = Credentials(directory: directory.path)
        for name in ["", ".", "..", "../key", "/etc/passwd", "a\0b"] {
            #expect(throws: SystemdError.self, "\(name)") { try credentials.read(name) }
        }
        #expect(throws: SystemdError("read credential 'link'", errno: ELOOP)) { try credentials.read("link") }
        #expect(throws: SystemdError("read credential 'folder'", errno: EISDIR)) { try credentials.read("folder") }
        let tooLarge = #expect(throws: SystemdError.self) { try credentials.read("key", limit: 5) }
        #expect(tooLarge.map { "\($0)" } == "cannot read credential 'key': it has more than 5 bytes")
    }
}
