// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Synchronization

/// What has to be undone when the run is interrupted: processes to end, directories to remove.
package enum Cleanup {
    private struct State {
        var actions: [(id: Int, run: @Sendable () -> Void)] = []
        var nextID = 0
        var isInterrupted = false
    }

    private static let state = Mutex(State())

    /// Remembers an action for the case of an interruption; `forget` it when it has been done in order.
    static func remember(_ action: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.actions.append((state.nextID, action))
            return state.nextID
        }
    }

    static func forget(_ id: Int) {
        state.withLock { state in state.actions.removeAll { $0.id == id } }
    }

    /// Makes SIGINT, SIGTERM and SIGHUP undo everything, the newest first, and end the program. Call it before any other
    /// thread is started, so that all inherit the mask; children start with an empty one.
    package static func handleInterruptions() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        _ = try? WorkerThread {
            var signals = sigset_t()
            sigemptyset(&signals)
            for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
            var caught: Int32 = 0
            while sigwait(&signals, &caught) != 0 {}
            state.withLock { $0.isInterrupted = true }
            while let action = state.withLock({ $0.actions.popLast() }) { action.run() }
            // The main thread may be in the middle of anything; nothing of it must run on.
            _exit(128 + caught)
        }
    }

    /// To be called at the end of the main thread: while an interruption is being cleaned up after, it does not return.
    static func yieldToInterruption() {
        while state.withLock({ $0.isInterrupted }) { pause() }
    }
}
