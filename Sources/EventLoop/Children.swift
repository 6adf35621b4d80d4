// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import CSystemd
internal import Glibc

/// How a process ended.
package enum ChildExit: Sendable, Hashable, CustomStringConvertible {
    case exited(Int32)
    case signaled(Int32, coreDumped: Bool)
    /// It is gone, and nobody can tell how: it was adopted, and the kernel is older than 6.15.
    case unknown

    package var description: String {
        switch self {
        case .exited(let code): "exited with status \(code)"
        case .signaled(let signal, let coreDumped): "killed by signal \(signal)\(coreDumped ? " (core dumped)" : "")"
        case .unknown: "gone, status unknown"
        }
    }
}

extension EventLoop {
    /// Calls the handler once, when the process behind the pidfd has ended, and reaps it if it is a child of ours.
    ///
    /// For an adopted process, which somebody else reaps, the status comes from the kernel where it keeps one; for this
    /// its parent is given a second to reap it. The pidfd stays the caller's and must be open until the handler has run or
    /// the source is cancelled.
    package func watchChild(
        pidfd: Int32, _ handler: @escaping (ChildExit) -> Void
    ) throws(EventLoopError) -> Source {
        let watch = ChildWatch(pidfd: pidfd, handler: handler)
        let source = try self.watch(fd: pidfd, events: .readable) { [unowned self] _ in watch.look(on: self) }
        watch.source = source
        return source
    }
}

/// The state of one `watchChild`, owned by its source's handler.
private final class ChildWatch {
    /// How long the parent of an adopted process is waited for, in microseconds.
    private static let patience: UInt64 = 1_000_000

    let pidfd: Int32
    let handler: (ChildExit) -> Void
    weak var source: Source?
    private var timer: Timer?

    init(pidfd: Int32, handler: @escaping (ChildExit) -> Void) {
        self.pidfd = pidfd
        self.handler = handler
    }

    func look(on loop: EventLoop) {
        var status = relight_child_status()
        if relight_wait_pidfd(pidfd, &status) < 0 {
            let known = relight_adopted_status(pidfd, &status)
            if known < 0 { return finish(.unknown) }
            if known == 0 { return wait(on: loop) }
        }
        if let exit = ChildExit(status) { finish(exit) }
    }

    /// The kernel tells how a process ended only when it has been reaped, and then hangs up the pidfd.
    private func wait(on loop: EventLoop) {
        guard timer == nil else { return }
        do {
            try source?.setEvents([])
            timer = try loop.timer(at: loop.now + Self.patience) { [weak self] in self?.finish(.unknown) }
        } catch {
            finish(.unknown)
        }
    }

    private func finish(_ exit: ChildExit) {
        // Cancelling frees the handler and with it the last lasting reference to this.
        let handler = handler
        timer = nil
        source?.cancel()
        handler(exit)
    }
}

extension ChildExit {
    /// Nil while the process lives.
    fileprivate init?(_ status: relight_child_status) {
        switch status.code {
        case relight_child_exited: self = .exited(status.status)
        case relight_child_killed: self = .signaled(status.status, coreDumped: false)
        case relight_child_dumped: self = .signaled(status.status, coreDumped: true)
        default: return nil
        }
    }
}
