// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Platform
import Synchronization

/// Looks at the screen some thousand times a second and remembers when what it shows changed.
package final class ScreenWatcher: Sendable {
    package struct Change: Sendable, Equatable {
        /// `MonotonicClock` microseconds of the first look that showed it.
        package var at: UInt64
        package var look: ScreenLook
        package init(at: UInt64, look: ScreenLook) {
            self.at = at
            self.look = look
        }
    }

    private struct State {
        var record = ScreenRecord()
        var isStopped = false
    }

    private let state: SharedState
    private let thread = Mutex<WorkerThread?>(nil)

    /// Starts a thread that looks every `interval` microseconds, plus what the kernel adds to a sleep.
    ///
    /// - Throws: `SystemError` if no thread can be started.
    package init(_ frameBuffer: FrameBuffer, interval: UInt64 = 100) throws(SystemError) {
        let state = SharedState()
        self.state = state
        let thread = try WorkerThread {
            while !state.isStopped {
                let look = ScreenLook.classify(frameBuffer)
                state.note(look, at: MonotonicClock.now)
                MonotonicClock.sleep(microseconds: interval)
            }
        }
        self.thread.withLock { $0 = thread }
    }

    deinit { stop() }

    /// Ends the thread; later calls do nothing.
    package func stop() {
        state.stop()
        thread.withLock { $0.take() }?.join()
    }

    /// What has been seen so far.
    package var record: ScreenRecord { state.record }

    private final class SharedState: Sendable {
        private let state = Mutex(State())
        var isStopped: Bool { state.withLock { $0.isStopped } }
        var record: ScreenRecord { state.withLock { $0.record } }
        func note(_ look: ScreenLook, at time: UInt64) { state.withLock { $0.record.note(look, at: time) } }
        func stop() { state.withLock { $0.isStopped = true } }
    }
}

/// The history of a screen: a value that can be asked about any stretch of time that it covers.
package struct ScreenRecord: Sendable {
    package private(set) var changes: [ScreenWatcher.Change] = []
    package private(set) var lastLookAt: UInt64 = 0
    package private(set) var looks = 0
    /// The longest time between two looks, in microseconds: shorter things may have been missed.
    package private(set) var longestGap: UInt64 = 0

    package init() {}

    package mutating func note(_ look: ScreenLook, at time: UInt64) {
        if looks > 0 { longestGap = max(longestGap, time - lastLookAt) }
        looks += 1
        lastLookAt = time
        if changes.last?.look != look { changes.append(.init(at: time, look: look)) }
        // A screen that flickers for hours must not eat the memory; what is asked about is recent.
        if changes.count > 20_000 { changes.removeFirst(10_000) }
    }

    /// Microseconds between two times in which the screen showed neither the page nor its last good frame.
    package func whiteTime(from start: UInt64, to end: UInt64) -> UInt64 {
        var total: UInt64 = 0
        for (index, change) in changes.enumerated() where change.look.isWhite {
            let until = index + 1 < changes.count ? changes[index + 1].at : max(lastLookAt, change.at)
            let (from, to) = (max(change.at, start), min(until, end))
            if to > from { total += to - from }
        }
        return total
    }

    /// What was seen between two times instead of the page, in words; empty if nothing was.
    package func whiteLooks(from start: UInt64, to end: UInt64) -> String {
        changes.enumerated().compactMap { index, change in
            let until = index + 1 < changes.count ? changes[index + 1].at : max(lastLookAt, change.at)
            guard change.look.isWhite, until > start, change.at < end else { return nil }
            let what =
                switch change.look {
                case .blank(let colour): "all \(colour.css)"
                default: "something else"
                }
            let from = change.at > start ? Distribution.milliseconds(change.at - start) : 0
            return "\(what) from \(from) to \(Distribution.milliseconds(min(until, end) - start)) ms"
        }.joined(separator: ", ")
    }

    /// When a load of the page was first seen at or after a time; nil if it was not.
    package func firstPage(showing load: Int, after time: UInt64) -> UInt64? {
        let look = ScreenLook.page(load: UInt16(truncatingIfNeeded: load))
        return changes.first { $0.at >= time && $0.look == look }?.at
    }

    /// What the screen showed at the last look.
    package var current: ScreenLook? { changes.last?.look }
}
