// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
package import Platform

/// A plain thread that is joined: for loops that block or watch, which must not occupy the cooperative pool.
package final class WorkerThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread: pthread_t

    package init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let retained = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, retained.toOpaque())
        guard result == 0 else {
            retained.release()
            throw SystemError(code: result, action: "cannot start a thread")
        }
        self.thread = thread
    }

    /// Waits for the body to return; call it exactly once.
    package func join() {
        pthread_join(thread, nil)
    }
}
