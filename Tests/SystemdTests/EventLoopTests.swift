// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import EventLoop
import Glibc
import Testing

/// An actor that lives on a loop, as the supervisor's does.
private actor Counter {
    private let loop: EventLoop
    private var timer: Timer?
    private(set) var ticks = 0
    private(set) var jobs = 0
    private var sawLoopThread = true
    private(set) var jobsAtFirstTick: Int?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: EventLoop) { self.loop = loop }

    var wasAlwaysOnLoopThread: Bool { sawLoopThread }

    func work() {
        jobs += 1
        sawLoopThread = sawLoopThread && loop.isOnLoopThread
    }

    func startTimer(in microseconds: UInt64) throws {
        timer = try loop.timer(at: loop.now + microseconds) { self.tick() }
    }

    private func tick() {
        ticks += 1
        jobsAtFirstTick = jobsAtFirstTick ?? jobs
    }
}

@Suite struct EventLoopTests {
    @Test func anActorOfTheLoopRunsOnItsThread() async throws {
        let running = try await RunningLoop()
        let counter = Counter(running.loop)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { for _ in 0..<100 { await counter.work() } } }
        }
        #expect(await counter.jobs == 10_000)
        #expect(await counter.wasAlwaysOnLoopThread)
        #expect(await running.stop(code: 7) == 7)
    }
}
