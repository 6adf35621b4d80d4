// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import CSystemd
internal import Glibc
internal import Synchronization

/// One sd-event loop, and the serial executor of every actor that names it as its `unownedExecutor`.
///
/// The loop belongs to the thread that made it until `run()` is called, and from then on to the thread that called
/// `run()`. Only that thread may make sources; handlers and the jobs of the loop's actors run there and nowhere else.
/// `enqueue`, `exit(code:)` and `now` may be used from any thread. A loop runs once.
///
/// Handlers need not be Sendable: they are made on the loop's thread, called on it, and freed on it. A closure written
/// in a method of an actor of this loop is isolated to that actor and may use its state directly.
// @unchecked: `event`, `wakeSource` and `batch` are touched by the loop's thread only (`enqueue` reaches them through
// the mutex and the eventfd), and by deinit, when nobody else is left.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    /// The most jobs run before other sources get their turn.
    private static let batchLimit = 64

    private struct Inbox {
        var jobs: [UnownedJob] = []
        /// Registrations whose owner was freed on another thread.
        var dropped: [OpaquePointer] = []
        var exitCode: Int32?
        /// The eventfd is readable, or the loop's thread is about to look here anyway.
        var isSignalled = false
    }

    /// The sd_event. Loop thread only.
    let event: OpaquePointer
    private let wakeDescriptor: Int32
    private var wakeSource: OpaquePointer?
    private let inbox = Mutex(Inbox())
    private let thread: Atomic<UInt>
    private var batch: [UnownedJob] = []
    private var nextInBatch = 0

    /// A loop that belongs to the calling thread until `run()`.
    ///
    /// - Throws: EMFILE, ENFILE or ENOMEM.
    package init() throws(EventLoopError) {
        thread = Atomic(UInt(pthread_self()))
        var event: OpaquePointer?
        let made = sd_event_new(&event)
        guard made >= 0, let event else { throw EventLoopError("make an event loop", errno: -made) }
        let descriptor = relight_eventfd()
        guard descriptor >= 0 else {
            sd_event_unref(event)
            throw EventLoopError("make the event loop's eventfd", errno: -descriptor)
        }
        self.event = event
        wakeDescriptor = descriptor
        let added = sd_event_add_io(
            event, &wakeSource, descriptor, relight_epoll_in,
            { _, _, _, context in
                guard let context else { return 0 }
                Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().drain()
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        guard added >= 0 else { throw EventLoopError("watch the event loop's eventfd", errno: -added) }
    }

    deinit {
        sd_event_source_disable_unref(wakeSource)
        for source in inbox.withLock({ $0.dropped }) { sd_event_source_disable_unref(source) }
        sd_event_unref(event)
        close(wakeDescriptor)
    }

    /// CLOCK_MONOTONIC in microseconds. Any thread.
    package var now: UInt64 { Self.monotonicMicroseconds }

    /// CLOCK_MONOTONIC in microseconds. Any thread.
    package static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    }

    /// Whether the caller is on the loop's thread.
    package var isOnLoopThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs on the calling thread until `exit(code:)`. Jobs still queued then do not run.
    ///
    /// - Returns: the code given to `exit`.
    /// - Throws: ESTALE when the loop has run before; ECHILD after a fork.
    @discardableResult
    package func run() throws(EventLoopError) -> Int32 {
        guard sd_event_get_state(event) != Int32(SD_EVENT_FINISHED) else {
            throw EventLoopError("run the event loop again", errno: ESTALE)
        }
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        let result = sd_event_loop(event)
        // sd_event_loop mixes up exit codes and errors: an error leaves no exit code behind.
        var code: Int32 = 0
        if sd_event_get_exit_code(event, &code) >= 0 { return code }
        throw EventLoopError("run the event loop", errno: -result)
    }

    /// Makes `run()` return once the handler or job that runs now is done. Any thread.
    package func exit(code: Int32) {
        if isOnLoopThread {
            sd_event_exit(event, code)
        } else {
            deliver { $0.exitCode = code }
        }
    }

    /// Answers the service manager's watchdog from the loop, at half of WatchdogSec=.
    ///
    /// - Returns: whether the service manager asked for it.
    package func enableWatchdog() throws(EventLoopError) -> Bool {
        let result = sd_event_set_watchdog(event, 1)
        guard result >= 0 else { throw EventLoopError("answer the service manager's watchdog", errno: -result) }
        return result > 0
    }

    // MARK: - Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        deliver { $0.jobs.append(job) }
    }

    package func checkIsolated() {
        precondition(isOnLoopThread, "not on the event loop's thread")
    }

    package func isIsolatingCurrentContext() -> Bool? { isOnLoopThread }

    /// Disables and frees an sd_event_source: at once on the loop's thread, else when the loop wakes.
    func discard(_ source: OpaquePointer) {
        if isOnLoopThread {
            sd_event_source_disable_unref(source)
        } else {
            // Safe to send: the caller gives up its only reference.
            let bits = UInt(bitPattern: source)
            deliver { inbox in
                if let source = OpaquePointer(bitPattern: bits) { inbox.dropped.append(source) }
            }
        }
    }

    private func deliver(_ change: (inout sending Inbox) -> Void) {
        let descriptor = wakeDescriptor
        // The eventfd is written under the lock: else the loop could empty the inbox and reset the eventfd between the
        // two steps, and the next caller would find `isSignalled` true with nothing to wake the loop.
        inbox.withLock { inbox in
            change(&inbox)
            guard !inbox.isSignalled else { return }
            inbox.isSignalled = true
            var one: UInt64 = 1
            _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
        }
    }

    /// Runs a batch of jobs. The eventfd stays readable while any are left, so the loop comes back after one round of
    /// the other sources.
    private func drain() {
        if nextInBatch == batch.count {
            batch.removeAll(keepingCapacity: batch.capacity <= 4096)
            nextInBatch = 0
            let received = inbox.withLock { inbox in
                let received = (jobs: inbox.jobs, dropped: inbox.dropped, exitCode: inbox.exitCode)
                inbox.jobs = []
                inbox.dropped = []
                inbox.exitCode = nil
                return received
            }
            batch = received.jobs
            for source in received.dropped { sd_event_source_disable_unref(source) }
            if let code = received.exitCode { sd_event_exit(event, code) }
        }
        let end = min(batch.count, nextInBatch + Self.batchLimit)
        let executor = asUnownedSerialExecutor()
        while nextInBatch < end {
            let job = batch[nextInBatch]
            nextInBatch += 1
            job.runSynchronously(on: executor)
        }
        guard nextInBatch == batch.count else { return }
        let descriptor = wakeDescriptor
        inbox.withLock { inbox in
            guard inbox.jobs.isEmpty, inbox.dropped.isEmpty, inbox.exitCode == nil else { return }
            var count: UInt64 = 0
            _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
            inbox.isSignalled = false
        }
    }
}
