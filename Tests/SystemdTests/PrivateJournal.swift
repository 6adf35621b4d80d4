// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import TestSupport

/// A real systemd-journald with a /run of its own, which nobody else writes to.
final class PrivateJournal {
    static let isPossible =
        Command.isRoot && access("/lib/systemd/systemd-journald", X_OK) == 0
        && ((try? TextFile.read("/etc/machine-id", limit: 64).count) ?? 0) > 0

    private var process: ChildProcess

    private static let script = """
        set -e
        mount --make-rprivate /
        mount -t tmpfs tmpfs /run
        mkdir -p /run/systemd/journal /run/systemd/journald.conf.d
        printf '[Journal]\\nStorage=volatile\\nReadKMsg=no\\nAudit=\\nForwardToSyslog=no\\nForwardToWall=no\\n' \
            >/run/systemd/journald.conf.d/test.conf
        exec /lib/systemd/systemd-journald
        """

    init() throws {
        process = try Self.start()
        let path = socketPath
        try eventually("the journal's socket") { access(path, W_OK) == 0 ? true : nil }
    }

    deinit { end() }

    private static func start() throws -> ChildProcess {
        try ChildProcess.spawn(
            path: "/usr/bin/unshare", arguments: ["unshare", "--mount", "/bin/sh", "-c", script],
            environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"], descriptors: [nil, nil, nil])
    }

    private var root: String { "/proc/\(process.pid)/root" }
    var socketPath: String { root + "/run/systemd/journal/socket" }
    var directory: String { root + "/run/log/journal" }

    func signal(_ number: Int32) throws { try process.signal(number) }

    /// Ends it; its namespace, files and all, goes with it.
    private func end() {
        try? process.signal(SIGKILL)
        var status: Int32 = 0
        while waitpid(process.pid, &status, 0) < 0, errno == EINTR {}
    }
}
