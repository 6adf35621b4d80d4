// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK

/// Something that GLib's main loop watches: cancelled by `cancel()`, and when this goes away.
package final class LoopSource {
    private final class Body {
        let run: (LoopSource.Condition) -> Bool
        init(_ run: @escaping (LoopSource.Condition) -> Bool) { self.run = run }
    }

    package struct Condition: OptionSet {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        package static let readable = Condition(rawValue: G_IO_IN.rawValue)
        package static let writable = Condition(rawValue: G_IO_OUT.rawValue)
        package static let broken = Condition(rawValue: G_IO_ERR.rawValue | G_IO_HUP.rawValue)
    }

    private var id: UInt32 = 0

    private init() {}

    deinit { cancel() }

    package var isActive: Bool { id != 0 }

    package func cancel() {
        guard id != 0 else { return }
        g_source_remove(id)
        id = 0
    }

    private static func release(_ data: UnsafeMutableRawPointer?) {
        if let data { Unmanaged<Body>.fromOpaque(data).release() }
    }

    /// Calls `body` after so many milliseconds, again and again while it returns true.
    package static func timer(
        milliseconds: UInt32, priority: Int32 = G_PRIORITY_DEFAULT, _ body: @escaping () -> Bool
    ) -> LoopSource {
        let source = LoopSource()
        let run = Body { [weak source] _ in
            let again = body()
            if !again { source?.id = 0 }
            return again
        }
        source.id = g_timeout_add_full(
            priority, milliseconds,
            { data in
                guard let data else { return 0 }
                return Unmanaged<Body>.fromOpaque(data).takeUnretainedValue().run([]) ? 1 : 0
            },
            Unmanaged.passRetained(run).toOpaque(), { LoopSource.release($0) })
        return source
    }

    /// Calls `body` once, after so many milliseconds.
    package static func after(milliseconds: UInt32, _ body: @escaping () -> Void) -> LoopSource {
        timer(milliseconds: milliseconds) {
            body()
            return false
        }
    }

    /// Calls `body` whenever a descriptor is ready, while it returns true. The caller keeps the descriptor open.
    package static func descriptor(
        _ fd: Int32, _ condition: Condition, priority: Int32 = G_PRIORITY_DEFAULT,
        _ body: @escaping (Condition) -> Bool
    ) -> LoopSource {
        let source = LoopSource()
        let run = Body { [weak source] condition in
            let again = body(condition)
            if !again { source?.id = 0 }
            return again
        }
        source.id = g_unix_fd_add_full(
            priority, fd, GIOCondition(rawValue: condition.rawValue),
            { _, condition, data in
                guard let data else { return 0 }
                let body = Unmanaged<Body>.fromOpaque(data).takeUnretainedValue()
                return body.run(Condition(rawValue: condition.rawValue)) ? 1 : 0
            },
            Unmanaged.passRetained(run).toOpaque(), { LoopSource.release($0) })
        return source
    }
}

/// GLib's main loop, on the thread that runs it.
package final class MainLoop {
    private let loop: OpaquePointer?

    package init() { loop = g_main_loop_new(nil, 0) }

    deinit { if let loop { g_main_loop_unref(loop) } }

    package func run() { g_main_loop_run(loop) }
    package func quit() { g_main_loop_quit(loop) }
}
#endif
