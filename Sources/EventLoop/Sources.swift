// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import CSystemd

/// What a descriptor is ready for.
package struct Events: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Events(rawValue: relight_epoll_in)
    package static let writable = Events(rawValue: relight_epoll_out)
    /// The peer has closed its writing side. Must be asked for.
    package static let peerClosed = Events(rawValue: relight_epoll_rdhup)
    /// Both sides are closed. Always reported.
    package static let hangUp = Events(rawValue: relight_epoll_hup)
    /// Always reported.
    package static let failed = Events(rawValue: relight_epoll_err)
}

/// What an sd_event_source calls. The source owns it; it is freed with the source, on the loop's thread.
private final class Registration {
    let handler: (UInt32) -> Void
    init(_ handler: @escaping (UInt32) -> Void) { self.handler = handler }

    static func call(_ context: UnsafeMutableRawPointer?, _ value: UInt32) -> Int32 {
        guard let context else { return 0 }
        // The strong reference keeps the handler alive while it cancels its own source.
        let registration = Unmanaged<Registration>.fromOpaque(context).takeUnretainedValue()
        registration.handler(value)
        return 0
    }
}

/// A registration with an event loop: lives until `cancel()` or deinit.
///
/// Its handler does not run any more after `cancel()` on the loop's thread. Freed on another thread, it is taken out when
/// the loop wakes next, and its handler may run once more until then.
package final class Source {
    private let loop: EventLoop
    private var source: OpaquePointer?

    fileprivate init(
        _ loop: EventLoop, _ operation: @autoclosure () -> String, _ handler: @escaping (UInt32) -> Void,
        _ add: (inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
    ) throws(EventLoopError) {
        self.loop = loop
        let registration = Unmanaged.passRetained(Registration(handler))
        let result = add(&source, registration.toOpaque())
        guard result >= 0, let source else {
            registration.release()
            throw EventLoopError(operation(), errno: -result)
        }
        sd_event_source_set_destroy_callback(source) { context in
            if let context { Unmanaged<Registration>.fromOpaque(context).release() }
        }
    }

    deinit { cancel() }

    /// Takes the source out of the loop. Idempotent.
    package func cancel() {
        guard let source else { return }
        self.source = nil
        loop.discard(source)
    }

    /// Sets what a descriptor's source waits for. No effect on other sources, or after `cancel()`. Loop thread.
    package func setEvents(_ events: Events) throws(EventLoopError) {
        guard let source else { return }
        let result = sd_event_source_set_io_events(source, events.rawValue)
        guard result >= 0 else { throw EventLoopError("change the events of a descriptor", errno: -result) }
    }

    fileprivate func arm(at microseconds: UInt64) throws(EventLoopError) {
        guard let source else { return }
        var result = sd_event_source_set_time(source, microseconds)
        if result >= 0 { result = sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT)) }
        guard result >= 0 else { throw EventLoopError("set a timer", errno: -result) }
    }

    fileprivate func disarm() {
        guard let source else { return }
        sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
    }
}

/// A one-shot timer on CLOCK_MONOTONIC that can be set again. Cancelled by deinit. Loop thread.
package final class Timer {
    private let source: Source

    fileprivate init(_ source: Source) { self.source = source }

    /// Fires once at this time; replaces an earlier one.
    package func set(at microseconds: UInt64) throws(EventLoopError) { try source.arm(at: microseconds) }

    /// Does not fire until it is set again.
    package func disarm() { source.disarm() }

    /// Takes the timer out of the loop for good.
    package func cancel() { source.cancel() }
}

extension EventLoop {
    /// Calls the handler whenever the descriptor is ready (level-triggered). The descriptor stays the caller's and must be
    /// open until the source is cancelled.
    ///
    /// - Throws: EEXIST when the descriptor is watched already, EPERM when it cannot be polled, ENOSPC, ENOMEM.
    package func watch(
        fd: Int32, events: Events, _ handler: @escaping (Events) -> Void
    ) throws(EventLoopError) -> Source {
        let event = event
        return try Source(self, "watch descriptor \(fd)", { handler(Events(rawValue: $0)) }) { source, context in
            sd_event_add_io(event, &source, fd, events.rawValue, { Registration.call($3, $2) }, context)
        }
    }

    /// A timer; without a time it waits to be set. It may fire up to `accuracy` microseconds late, so that wake-ups can
    /// be shared.
    package func timer(
        at microseconds: UInt64? = nil, accuracy: UInt64 = 1_000, _ handler: @escaping () -> Void
    ) throws(EventLoopError) -> Timer {
        let event = event
        let source = try Source(self, "make a timer", { _ in handler() }) { source, context in
            let result = sd_event_add_time(
                event, &source, CLOCK_MONOTONIC, microseconds ?? UInt64.max, max(accuracy, 1),
                { Registration.call($2, 0) }, context)
            return result
        }
        if microseconds == nil { source.disarm() }
        return Timer(source)
    }

    /// Calls the handler for each arrival of the signal, which is blocked in the calling thread.
    ///
    /// Threads inherit the mask, so this comes before anything that starts one: a signal that another thread does not
    /// block is not seen here.
    package func watchSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(EventLoopError) -> Source {
        let event = event
        return try Source(self, "watch signal \(signal)", { _ in handler() }) { source, context in
            let blocked = relight_block_signal(signal)
            guard blocked >= 0 else { return blocked }
            return sd_event_add_signal(event, &source, signal, { Registration.call($2, 0) }, context)
        }
    }
}
