// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import TestSupport

/// A program run to its end.
struct Program {
    var status: Int32
    var output: String
    var error: String

    /// What a program wrote, and its exit status, or 128 plus the signal that ended it. It is searched for in PATH if
    /// `path` has no slash. `environment` replaces variables of this process's own; an empty value removes one.
    static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], seconds: Double = 60
    ) throws -> Program {
        let directory = try TestDirectory()
        func file(_ name: String) throws -> FileDescriptor {
            let fd = open("\(directory.path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            return FileDescriptor(owning: try SystemError.check(fd < 0 ? -errno : fd, "cannot make", name))
        }
        var variables = Environment.current().merging(environment) { $1 }
        variables["SWIFT_BACKTRACE"] = "enable=no"
        let program = path.contains("/") ? path : try find(path)
        let child = try ChildProcess.spawn(
            path: program, arguments: [program] + arguments,
            environment: variables.filter { !$0.value.isEmpty }.map { "\($0.key)=\($0.value)" },
            descriptors: [nil, file("out"), file("err")])
        var status: Int32 = 0
        do {
            try eventually("\(path) ends", seconds: seconds) {
                waitpid(child.pid, &status, WNOHANG) == child.pid ? true : nil
            }
        } catch {
            try child.signal(SIGKILL)
            waitpid(child.pid, &status, 0)
            throw error
        }
        let signal = status & 0x7F
        return Program(
            status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal,
            output: try TextFile.read(directory.path + "/out", limit: 1 << 24),
            error: try TextFile.read(directory.path + "/err", limit: 1 << 24))
    }

    static func find(_ name: String) throws -> String {
        let path = Environment.current()["PATH"] ?? "/usr/bin:/bin"
        let candidates: [String] = path.split(separator: ":").map { "\($0)/\(name)" }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw SystemError(code: ENOENT, action: "cannot find", subject: name)
        }
        return found
    }
}
