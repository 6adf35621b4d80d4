// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import EventLoop
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

/// How real processes end, as the loop tells it.
@Suite struct ChildTests {
    /// Runs a loop on this thread until the processes it watches have ended.
    private final class Watcher {
        let loop: EventLoop
        var exits: [String: ChildExit] = [:]
        private var sources: [Source] = []
        private var expected = 0
        private var timer: Timer?

        init() throws { loop = try EventLoop() }

        func watch(_ name: String, pidfd: FileDescriptor) throws {
            expected += 1
            sources.append(
                try loop.watchChild(pidfd: pidfd.raw) { [unowned self] exit in
                    exits[name] = exit
                    expected -= 1
                    if expected == 0 { loop.exit(code: 0) }
                    withExtendedLifetime(pidfd) {}
                })
        }

        func run() throws {
            timer = try loop.timer(at: loop.now + 30_000_000) { [unowned self] in loop.exit(code: 1) }
            #expect(try loop.run() == 0, "not all processes ended in 30 s")
        }
    }

    private func shell(_ script: String, _ descriptors: [FileDescriptor?] = []) throws -> ChildProcess {
        try ChildProcess.spawn(
            path: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"],
            descriptors: descriptors)
    }

    @Test func statusesAndSignals() throws {
        let watcher = try Watcher()
        let fine = try shell("exit 0")
        let failed = try shell("exit 42")
        let killed = try shell("kill -KILL $$")
        let alive = try shell("exec sleep 1000")
        for (name, process) in [("fine", fine), ("failed", failed), ("killed", killed), ("alive", alive)] {
            try watcher.watch(name, pidfd: process.pidfd)
        }
        try alive.signal(SIGTERM)
        try watcher.run()
        #expect(watcher.exits["fine"] == .exited(0))
        #expect(watcher.exits["failed"] == .exited(42))
        #expect(watcher.exits["killed"] == .signaled(SIGKILL, coreDumped: false))
        #expect(watcher.exits["alive"] == .signaled(SIGTERM, coreDumped: false))
        // Reaped: no zombie is left.
        for process in [fine, failed, killed, alive] { #expect(kill(process.pid, 0) == -1) }
    }

    @Test func oneThatEndedBeforeItIsWatched() throws {
        let process = try shell("exit 5")
        var request = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        #expect(poll(&request, 1, 30_000) == 1)
        let watcher = try Watcher()
        try watcher.watch("early", pidfd: process.pidfd)
        try watcher.run()
        #expect(watcher.exits["early"] == .exited(5))
    }

    /// A supervisor that was restarted watches processes that are somebody else's children.
    @Test func oneThatSomebodyElseReaps() throws {
        let (ours, theirs) = try UnixSocket.pair()
        // The parent stays and reaps; the child waits until it is watched. (The socket does not block.)
        let parent = try shell(
            "sh -c 'until read line; do sleep 0.01; done <&3; exit 9' & echo $! >&3; wait $!", [nil, nil, nil, theirs])
        let text: String = try eventually("the child's PID") {
            var bytes = [UInt8](repeating: 0, count: 32)
            let count = read(ours.raw, &bytes, bytes.count)
            return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
        }
        let pid = try #require(Int32(text.filter(\.isNumber)))
        let pidfd = try ProcessDescriptor(pid: pid).descriptor
        let watcher = try Watcher()
        try watcher.watch("parent", pidfd: parent.pidfd)
        try watcher.watch("child", pidfd: pidfd)
        #expect(write(ours.raw, "go\n", 3) == 3)
        try watcher.run()
        let exit = try #require(watcher.exits["child"])
        // Kernels before 6.15 forget how it ended.
        #expect(exit == .exited(9) || (exit == .unknown && !Self.kernelRemembers), "\(exit)")
        #expect(watcher.exits["parent"] == .exited(9))
    }

    @Test func aCancelledWatchIsSilentAndLeavesTheProcessToOthers() throws {
        let loop = try EventLoop()
        let process = try shell("exit 6")
        let calls = Mutex(0)
        let source = try loop.watchChild(pidfd: process.pidfd.raw) { _ in calls.withLock { $0 += 1 } }
        source.cancel()
        source.cancel()
        let timer = try loop.timer(at: loop.now + 50_000) { loop.exit(code: 0) }
        try loop.run()
        withExtendedLifetime(timer) {}
        #expect(calls.withLock { $0 } == 0)
        var status: Int32 = 0
        #expect(waitpid(process.pid, &status, 0) == process.pid)
        #expect((status >> 8) & 0xff == 6)
    }

    private static var kernelRemembers: Bool {
        var name = utsname()
        uname(&name)
        let release = withUnsafeBytes(of: &name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 15)
    }
}
