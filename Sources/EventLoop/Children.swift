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
    /// For an adopted process, which somebody else reaps, the status comes from the kernel where it keeps one. The pidfd
    /// stays the caller's and must be open until the handler has run or the source is cancelled.
    package func watchChild(
        pidfd: Int32, _ handler: @escaping (ChildExit) -> Void
    ) throws(EventLoopError) -> Source {
        let box = SourceBox()
        let source = try watch(fd: pidfd, events: .readable) { _ in
            guard let exit = ChildExit(reaping: pidfd) else { return }
            box.source?.cancel()
            handler(exit)
        }
        box.source = source
        return source
    }
}

/// Lets a handler cancel the source that calls it, without owning it.
private final class SourceBox {
    weak var source: Source?
}

extension ChildExit {
    /// The exit of the process behind a pidfd; nil while it lives.
    fileprivate init?(reaping pidfd: Int32) {
        var status = relight_child_status()
        if relight_reap(pidfd, &status) < 0, relight_adopted_status(pidfd, &status) <= 0 {
            self = .unknown
            return
        }
        switch status.code {
        case relight_child_exited: self = .exited(status.status)
        case relight_child_killed: self = .signaled(status.status, coreDumped: false)
        case relight_child_dumped: self = .signaled(status.status, coreDumped: true)
        default: return nil
        }
    }
}
