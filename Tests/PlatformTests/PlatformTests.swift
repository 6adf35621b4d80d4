// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import TestSupport
import Testing

@Suite struct ChildProcessTests {
    /// What a program started with these descriptors prints, and its wait status.
    private func output(_ path: String, _ arguments: [String], environment: [String] = []) throws -> (String, Int32) {
        let directory = try TestDirectory()
        let fd = open(directory.path + "/out", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(fd >= 0)
        let child = try ChildProcess.spawn(
            path: path, arguments: [path] + arguments, environment: environment,
            descriptors: [nil, FileDescriptor(owning: fd), nil], directory: "/")
        let status: Int32 = try eventually("it ends") {
            var status: Int32 = 0
            return waitpid(child.pid, &status, WNOHANG) == child.pid ? status : nil
        }
        return (try TextFile.read(directory.path + "/out", limit: 1 << 20), status)
    }

    @Test func aMissingProgramIsNamedAndLeavesNoProcess() throws {
        let before = ProcessTable.children(of: getpid()).count
        let error = #expect(throws: SystemError.self) { try output("/nonexistent/program", []) }
        #expect(error?.code == ENOENT)
        #expect(error?.description == "cannot start /nonexistent/program: No such file or directory")
        // Other tests start processes meanwhile; a child that was left would stay.
        try eventually("nothing is left") { ProcessTable.children(of: getpid()).count <= before ? true : nil }
    }

    @Test func aChildGetsItsDescriptorsAndNoOthers() throws {
        // Not close-on-exec, as a library might open it.
        let stray = open("/dev/null", O_RDONLY)
        defer { close(stray) }
        let (text, status) = try output("/bin/ls", ["/proc/self/fd"])
        #expect(status == 0)
        // The last one is the directory that ls reads.
        #expect(text.split(separator: "\n") == ["0", "1", "2", "3"])
    }

    @Test func aChildGetsItsEnvironmentDirectoryAndASessionOfItsOwn() throws {
        let (text, _) = try output(
            "/bin/sh", ["-c", "echo $A; pwd; cut -d' ' -f6 /proc/$$/stat; echo $$"], environment: ["A=b c"])
        let lines = text.split(separator: "\n").map(String.init)
        try #require(lines.count == 4)
        #expect(lines[0] == "b c")
        #expect(lines[1] == "/")
        #expect(lines[2] == lines[3], "its session is its own")
    }
}

@Suite struct SharedMemoryTests {
    @Test func whatIsSealedCannotBeChanged() throws {
        let bytes: [UInt8] = Array("picture".utf8)
        let memory = try bytes.withUnsafeBytes { try SharedMemory.make(name: "test", bytes: $0) }
        #expect(try SharedMemory.read(memory, limit: 100) == bytes)
        #expect(write(memory.raw, "x", 1) == -1 && errno == EPERM)
        #expect(ftruncate(memory.raw, 0) == -1 && errno == EPERM)
        #expect(throws: SystemError.self) { try SharedMemory.read(memory, limit: 3) }
    }
}
