// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import EventLoop
import Glibc
import Synchronization

/// An event loop that runs on a thread of its own.
final class RunningLoop: Sendable {
    let loop: EventLoop
    private let code: AsyncStream<Int32>

    init() async throws {
        let loop = try EventLoop()
        self.loop = loop
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        code = stream
        spawnThread {
            continuation.yield((try? loop.run()) ?? -1)
            continuation.finish()
        }
    }

    /// Ends the loop; its exit code.
    func stop(code: Int32 = 0) async -> Int32? {
        loop.exit(code: code)
        return await self.code.first { _ in true }
    }
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
