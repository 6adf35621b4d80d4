// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Platform
import Glibc

/// A process that does nothing, in the place of an engine's: it ends when its host does, as WebKit's processes do.
final class FakeProcess {
    let process: ChildProcess
    /// The other end of its standard input: at its end of file it ends.
    private let lifeline: FileDescriptor

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(code: errno, action: "cannot make a pipe") }
        let input = FileDescriptor(owning: ends[0])
        lifeline = FileDescriptor(owning: ends[1])
        // Else a leftover would hold it.
        _ = fcntl(lifeline.raw, F_SETFD, FD_CLOEXEC)
        process = try ChildProcess.spawn(
            path: "/bin/cat", arguments: ["cat"], environment: [], descriptors: [input, nil, nil])
    }

    var pid: Int32 { process.pid }

    func kill() { try? process.signal(SIGKILL) }

    /// True once it is dead; it is reaped then.
    func hasEnded() -> Bool { waitpid(pid, nil, WNOHANG) == pid }

    /// Kills and reaps.
    func end() {
        kill()
        while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
    }
}

/// Processes that do not end with their host, as helpers of real engines sometimes do.
enum Leftover {
    /// Starts one; it ends by itself after ten minutes. With `escapes`, in a session of its own.
    static func start(escapes: Bool) throws(SystemError) -> Int32 {
        if escapes {
            let child = try ChildProcess.spawn(
                path: "/bin/sleep", arguments: ["sleep", "600"], environment: [], descriptors: [nil, nil, nil])
            return child.pid
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for fd in Int32(0)...2 { posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0) }
        var pid: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        defer { for argument in arguments { free(argument) } }
        let result = posix_spawn(&pid, "/bin/sleep", &actions, nil, &arguments, nil)
        guard result == 0 else { throw SystemError(code: result, action: "cannot start", subject: "/bin/sleep") }
        return pid
    }
}
