// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import TestSupport

/// A program that a test runs to its end.
struct Command {
    let status: Int32
    /// Standard output and standard error.
    let output: String

    /// The repository.
    static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    static let isRoot = geteuid() == 0

    /// Runs a program and waits; one that takes longer than two minutes is killed.
    init(_ arguments: [String], environment: [String] = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]) throws
    {
        let directory = try TestDirectory()
        let file = open(directory.path + "/output", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        let output = FileDescriptor(owning: try SystemError.check(file, "cannot open a file for the output"))
        let path = arguments.first.map { $0.hasPrefix("/") ? $0 : "/usr/bin/\($0)" } ?? ""
        let process = try ChildProcess.spawn(
            path: path, arguments: arguments, environment: environment + ["SWIFT_BACKTRACE=enable=no"],
            descriptors: [nil, output, output], directory: Self.repository)
        var request = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        if poll(&request, 1, 120_000) != 1 { try process.signal(SIGKILL) }
        var status: Int32 = 0
        while waitpid(process.pid, &status, 0) < 0, errno == EINTR {}
        // As a shell has it.
        self.status = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
        self.output = try TextFile.read(directory.path + "/output", limit: 1 << 20)
    }
}
