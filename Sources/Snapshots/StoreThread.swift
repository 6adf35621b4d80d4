// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// A serial executor with one thread of its own, so that waiting for a disk stops nobody else.
///
/// Jobs run in the order in which they came. The thread ends when the executor is freed.
final class StoreThread: SerialExecutor {
    private let inbox = Inbox()

    /// Starts the thread. All signals are blocked in it: they are for the threads that wait for them.
    ///
    /// - Throws: EAGAIN, as an errno value, if the system has no room for another thread.
    init() throws(ThreadError) {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(inbox)
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Inbox>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw ThreadError(errno: result)
        }
        pthread_detach(thread)
    }

    deinit { inbox.finish() }

    struct ThreadError: Error { let errno: Int32 }

    func enqueue(_ job: consuming ExecutorJob) {
        inbox.append(UnownedJob(job), asUnownedSerialExecutor())
    }

    /// Shared by the executor and its thread; outlives the executor, whose last reference the thread itself may drop.
    // @unchecked: `jobs` and `isFinished` are touched only with `lock` held.
    private final class Inbox: @unchecked Sendable {
        private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let arrived = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private var jobs: [(UnownedJob, UnownedSerialExecutor)] = []
        private var isFinished = false

        init() {
            pthread_mutex_init(lock, nil)
            pthread_cond_init(arrived, nil)
        }

        deinit {
            pthread_cond_destroy(arrived)
            pthread_mutex_destroy(lock)
            arrived.deallocate()
            lock.deallocate()
        }

        func append(_ job: UnownedJob, _ executor: UnownedSerialExecutor) {
            pthread_mutex_lock(lock)
            jobs.append((job, executor))
            pthread_cond_signal(arrived)
            pthread_mutex_unlock(lock)
        }

        func finish() {
            pthread_mutex_lock(lock)
            isFinished = true
            pthread_cond_signal(arrived)
            pthread_mutex_unlock(lock)
        }

        func run() {
            while let batch = next() {
                for (job, executor) in batch { job.runSynchronously(on: executor) }
            }
        }

        /// Waits for jobs; nil once there are none and none will come.
        private func next() -> [(UnownedJob, UnownedSerialExecutor)]? {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            while jobs.isEmpty {
                if isFinished { return nil }
                pthread_cond_wait(arrived, lock)
            }
            defer { jobs = [] }
            return jobs
        }
    }
}
