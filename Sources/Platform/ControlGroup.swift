// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// A cgroup v2 directory for one host, below that of relightd's own unit (cgroups(7)): whatever the host starts is in it,
/// grandchildren in sessions of their own included, and ends with it.
package final class ControlGroup: Sendable {
    package let path: String

    private init(path: String) {
        self.path = path
    }

    /// The group of this process, if it was delegated to us: run by a service manager, v2 mounted, and writable. The
    /// process moves into a leaf of it, since a group with controllers takes no processes of its own.
    package static func delegated() -> String? {
        guard getenv("INVOCATION_ID") != nil,
            let own = try? TextFile.read("/proc/self/cgroup", limit: 65536),
            let line = own.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
        else { return nil }
        let relative = line.dropFirst(3)
        for root in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
            let path = root + relative
            guard access(path + "/cgroup.kill", F_OK) == 0, access(path, W_OK) == 0 else { continue }
            let leaf = path + "/supervisor"
            guard mkdir(leaf, 0o755) == 0 || errno == EEXIST,
                (try? TextFile.write("\(getpid())", to: leaf + "/cgroup.procs")) != nil
            else { continue }
            return path
        }
        return nil
    }

    package static func make(_ name: String, in parent: String) throws(SystemError) -> ControlGroup {
        let path = parent + "/" + name
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw SystemError(code: errno, action: "cannot make control group", subject: path)
        }
        return ControlGroup(path: path)
    }

    /// The directory, for clone3(2).
    package func open() throws(SystemError) -> FileDescriptor {
        let fd = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open control group", subject: path) }
        return FileDescriptor(owning: fd)
    }

    package func add(pid: Int32) throws(SystemError) {
        try TextFile.write("\(pid)", to: path + "/cgroup.procs")
    }

    /// SIGKILL to everything in it, atomically.
    package func kill() throws(SystemError) {
        try TextFile.write("1", to: path + "/cgroup.kill")
    }

    /// Removes the directory; false while something in it still lives.
    package func remove() -> Bool { rmdir(path) == 0 || errno == ENOENT }
}
