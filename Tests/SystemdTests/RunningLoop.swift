// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import EventLoop
import Glibc
import Synchronization

/// An event loop that runs on a thread of its own.
final class RunningLoop: Sendable {
    let loop: EventLoop
    private let code: AsyncStream<Int32>
    private let gate = Gate()

    /// A paused one runs only when told to `proceed`; until then jobs pile up.
    init(paused: Bool = false) async throws {
        let loop = try EventLoop()
        self.loop = loop
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        code = stream
        let gate = gate
        if !paused { gate.open() }
        spawnThread {
            gate.wait()
            continuation.yield((try? loop.run()) ?? -1)
            continuation.finish()
        }
    }

    func proceed() { gate.open() }

    /// Ends the loop; its exit code.
    func stop(code: Int32 = 0) async -> Int32? {
        loop.exit(code: code)
        return await self.code.first { _ in true }
    }
}

/// Holds a thread until it is opened.
private final class Gate: Sendable {
    private let isOpen = Atomic(false)
    func open() { isOpen.store(true, ordering: .releasing) }
    func wait() { while !isOpen.load(ordering: .acquiring) { usleep(1_000) } }
}

/// Tells whether, and on which thread, something was freed.
final class Flag: Sendable {
    private let thread = Mutex<(isUp: Bool, isOnLoop: Bool)>((false, false))
    var isUp: Bool { thread.withLock { $0.isUp } }
    func raise(onLoop: Bool) { thread.withLock { $0 = (true, onLoop) } }
    func wasOnLoopThread(of loop: EventLoop) -> Bool { thread.withLock { $0.isOnLoop } }
}

/// Raises a flag when it is freed.
final class Guardian {
    private let flag: Flag
    private let loop: EventLoop
    init(_ flag: Flag, _ loop: EventLoop) {
        self.flag = flag
        self.loop = loop
    }
    deinit { flag.raise(onLoop: loop.isOnLoopThread) }
}

/// Carries the only reference to a source to another thread, where it is dropped.
// @unchecked: the reference is touched under the mutex, and given up there.
final class Handle: @unchecked Sendable {
    private let lock = Mutex(())
    private var source: Source?
    init(_ source: Source) { self.source = source }
    func drop() { lock.withLock { _ in source = nil } }
}

/// Runs the body on a new detached thread.
func spawnThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let created = pthread_create(
        &thread, nil,
        { context in
            if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
    precondition(created == 0, "cannot start a thread")
    pthread_detach(thread)
}

private struct Late: Error, CustomStringConvertible {
    let description: String
}

/// Asks again and again, with a generous deadline.
func eventually(_ what: String, seconds: Int = 30, _ probe: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !(try await probe()) {
        guard ContinuousClock.now < deadline else { throw Late(description: "not within \(seconds) s: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
