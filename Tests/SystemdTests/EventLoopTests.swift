// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import EventLoop
import Glibc
import Platform
import Testing

/// An actor that lives on a loop, as the supervisor does. Its handlers are written without `assumeIsolated`: a closure of
/// an actor's method is isolated to it.
private actor Resident {
    private let loop: EventLoop
    private var timer: Timer?
    private var sources: [Source] = []
    private(set) var jobs = 0
    private(set) var ticks = 0
    private(set) var jobsAtFirstTick: Int?
    private(set) var wasAlwaysAtHome = true
    private var descriptor: FileDescriptor?
    private(set) var received: [UInt8] = []
    private(set) var sawEnd = false
    private(set) var signals = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: EventLoop) { self.loop = loop }

    func work() {
        jobs += 1
        wasAlwaysAtHome = wasAlwaysAtHome && loop.isOnLoopThread
    }

    func tick(at microseconds: UInt64?) throws { timer = try loop.timer(at: microseconds) { self.tick() } }
    func set(at microseconds: UInt64) throws { try timer?.set(at: microseconds) }
    func disarm() { timer?.disarm() }
    func dropTimer() { timer = nil }

    private func tick() {
        ticks += 1
        jobsAtFirstTick = jobsAtFirstTick ?? jobs
    }

    func read(from descriptor: FileDescriptor) throws {
        self.descriptor = descriptor
        sources.append(
            try loop.watch(fd: descriptor.raw, events: [.readable, .peerClosed]) { events in
                self.isReadable(descriptor, events)
            })
    }

    private func isReadable(_ descriptor: FileDescriptor, _ events: Events) {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(descriptor.raw, &bytes, bytes.count)
        received += bytes.prefix(max(count, 0))
        if count == 0 {
            sawEnd = events.contains(.peerClosed)
            // From within its own handler.
            sources.first?.cancel()
        }
    }

    func setEvents(_ events: Events) throws { try sources.first?.setEvents(events) }

    func watchSignal(_ number: Int32) throws {
        sources.append(try loop.watchSignal(number) { self.signals += 1 })
    }

    func raise(_ number: Int32) { pthread_kill(pthread_self(), number) }
    func forgetSources() { sources = [] }
}

@Suite struct EventLoopTests {
    @Test func anActorOfTheLoopRunsOnItsThread() async throws {
        let running = try await RunningLoop()
        let resident = Resident(running.loop)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { for _ in 0..<100 { await resident.work() } } }
        }
        #expect(await resident.jobs == 10_000)
        #expect(await resident.wasAlwaysAtHome)
        #expect(await running.stop(code: 7) == 7)
    }

    @Test func theThreadThatMadeTheLoopMayUseItsActorsBeforeItRuns() throws {
        let loop = try EventLoop()
        let resident = Resident(loop)
        resident.assumeIsolated { $0.work() }
        #expect(resident.assumeIsolated { $0.jobs } == 1)
        #expect(loop.isOnLoopThread)
    }

    @Test func anExitBeforeTheRunEndsItAtOnce() throws {
        let loop = try EventLoop()
        loop.exit(code: 3)
        #expect(try loop.run() == 3)
        #expect(throws: EventLoopError.self) { try loop.run() }
    }

    @Test func tenThousandJobsDoNotStarveATimer() async throws {
        let running = try await RunningLoop(paused: true)
        let resident = Resident(running.loop)
        // All of them wait before the loop runs for the first time, and the timer is due.
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await resident.tick(at: 1) }
            for _ in 0..<10_000 { group.addTask { await resident.work() } }
            running.proceed()
            try await group.waitForAll()
        }
        try await eventually("a tick") { await resident.ticks == 1 }
        let jobsAtFirstTick = try #require(await resident.jobsAtFirstTick)
        #expect(jobsAtFirstTick < 5_000)
        #expect(await resident.jobs == 10_000)
        #expect(await running.stop() == 0)
    }

    @Test func aTimerFiresOnceAndCanBeSetAgain() async throws {
        let running = try await RunningLoop()
        let resident = Resident(running.loop)
        let start = running.loop.now
        try await resident.tick(at: start + 20_000)
        try await eventually("a tick") { await resident.ticks == 1 }
        #expect(running.loop.now >= start + 20_000)
        try await resident.set(at: running.loop.now)
        try await eventually("a second tick") { await resident.ticks == 2 }
        // One that is far away, then taken back, then dropped: none of them fires.
        try await resident.set(at: running.loop.now + 3_600_000_000)
        await resident.disarm()
        await resident.dropTimer()
        try await resident.tick(at: nil)
        try await resident.tick(at: running.loop.now + 30_000)
        try await eventually("a third tick") { await resident.ticks == 3 }
        #expect(await running.stop() == 0)
    }

    @Test func aDescriptorIsReadUntilItsEnd() async throws {
        let running = try await RunningLoop()
        let resident = Resident(running.loop)
        let (ours, theirs) = try UnixSocket.pair()
        try await resident.read(from: theirs)
        #expect(write(ours.raw, "abc", 3) == 3)
        try await eventually("three bytes") { await resident.received == Array("abc".utf8) }
        try await resident.setEvents([])
        #expect(write(ours.raw, "d", 1) == 1)
        // Two trips through the loop, in which the byte would have been read.
        await resident.work()
        await resident.work()
        #expect(await resident.received == Array("abc".utf8))
        try await resident.setEvents([.readable, .peerClosed])
        shutdown(ours.raw, Int32(SHUT_WR))
        try await eventually("the end") { await resident.sawEnd }
        #expect(await resident.received == Array("abcd".utf8))
        #expect(await running.stop() == 0)
    }

    @Test func aDescriptorThatCannotBePolledIsRefused() throws {
        let loop = try EventLoop()
        let file = FileDescriptor(owning: open(#filePath, O_RDONLY | O_CLOEXEC))
        let error = #expect(throws: EventLoopError.self) { try loop.watch(fd: file.raw, events: .readable) { _ in } }
        #expect(error?.errno == EPERM)
        #expect(error.map { "\($0)" } == "cannot watch descriptor \(file.raw): Operation not permitted")
    }

    @Test func signalsAreBlockedAndReported() async throws {
        let running = try await RunningLoop()
        let resident = Resident(running.loop)
        try await resident.watchSignal(SIGUSR2)
        // Would end the process if it were not blocked.
        await resident.raise(SIGUSR2)
        try await eventually("the signal") { await resident.signals == 1 }
        #expect(await running.stop() == 0)
    }

    @Test func aSourceMayBeFreedOnAnyThread() async throws {
        let running = try await RunningLoop()
        let (ours, theirs) = try UnixSocket.pair()
        let freed = Flag()
        do {
            let resident = Resident(running.loop)
            let handle = try await resident.sourceThatHolds(freed, theirs)
            #expect(!freed.isUp)
            spawnThread { handle.drop() }
        }
        // Its handler, and what that holds, is freed on the loop's thread.
        try await eventually("the handler's end") { freed.isUp }
        #expect(freed.wasOnLoopThread(of: running.loop) == true)
        withExtendedLifetime(ours) {}
        #expect(await running.stop() == 0)
    }
}

extension Resident {
    func sourceThatHolds(_ flag: Flag, _ descriptor: FileDescriptor) throws -> Handle {
        let guardian = Guardian(flag, loop)
        return Handle(
            try loop.watch(fd: descriptor.raw, events: .readable) { _ in withExtendedLifetime(guardian) {} })
    }
}
