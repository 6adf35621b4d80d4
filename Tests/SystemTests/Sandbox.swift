// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import Synchronization
import TestSupport

/// A private systemd (Scripts/systemd-sandbox) with Relight installed in it, as a package would. It is booted once for all
/// tests and ends with the test runner. Needs root.
final class Sandbox: Sendable {
    /// What became of a script.
    struct Outcome: Sendable {
        let status: Int
        let output: String
        let errors: String
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func shared() throws -> Sandbox { try boot.get() }

    private static let boot = Result {
        let sandbox = try Sandbox()
        try sandbox.check(Installation.script(repository: repository, products: DaemonProcess.builtProducts()))
        // Static values have no end of their own; without this the sandbox would end only some time after the runner.
        atexit { (try? Sandbox.shared())?.end() }
        return sandbox
    }

    /// The directory of Package.swift.
    static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// Runs one script after the other: a NUL ends each; the answer is a line with the status and two lengths, then what
    /// went to standard output and to standard error.
    private static let driver = #"""
        umask 022
        exec 3>&1 1>&2
        directory=$(mktemp -d)
        while IFS= read -r -d '' seconds && IFS= read -r -d '' script; do
            status=0
            timeout --kill-after=5 "$seconds" bash -c "$script" </dev/null >"$directory/out" 2>"$directory/err" || status=$?
            echo "$status $(stat -c %s "$directory/out") $(stat -c %s "$directory/err")" >&3
            cat "$directory/out" "$directory/err" >&3
        done
        """#

    private let process: ChildProcess
    private let commands: Mutex<FileDescriptor?>
    private let answers: FileDescriptor
    private let log: TestDirectory

    private init() throws {
        let (scripts, commands) = try Self.pipe()
        let (answers, results) = try Self.pipe()
        log = try TestDirectory()
        let fd = open(log.path + "/errors", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open", subject: log.path + "/errors") }
        let path = Self.repository + "/Scripts/systemd-sandbox"
        process = try ChildProcess.spawn(
            path: path,
            arguments: [
                path, "--bind", Self.repository, "--bind", try DaemonProcess.builtProducts(), "--", "bash", "-c",
                Self.driver,
            ],
            environment: Environment.current().map { "\($0.key)=\($0.value)" },
            descriptors: [scripts, results, FileDescriptor(owning: fd)], directory: "/")
        self.commands = Mutex(commands)
        self.answers = answers
    }

    /// Runs a script of bash, as root, and waits for its end.
    func run(_ script: String, seconds: Int = 60) throws -> Outcome {
        try commands.withLock { commands in
            guard let commands else { throw Failure(description: "the sandbox has ended") }
            try write(Array("\(seconds)\0\(script)\0".utf8), to: commands)
            let deadline = Deadline(seconds: seconds + 90)
            var head: [UInt8] = []
            while head.last != UInt8(ascii: "\n") { head += try read(1, until: deadline) }
            let numbers = String(decoding: head.dropLast(), as: UTF8.self).split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 3 else { throw Failure(description: "the sandbox answered nonsense") }
            return Outcome(
                status: numbers[0], output: String(decoding: try read(numbers[1], until: deadline), as: UTF8.self),
                errors: String(decoding: try read(numbers[2], until: deadline), as: UTF8.self))
        }
    }

    /// Runs a script that must succeed; its standard output without the last line end.
    @discardableResult
    func check(_ script: String, seconds: Int = 60) throws -> String {
        let outcome = try run("set -euo pipefail\n" + script, seconds: seconds)
        guard outcome.status == 0 else {
            throw Failure(
                description: "status \(outcome.status) of: \(script.prefix(500))\n\(outcome.output)\(outcome.errors)")
        }
        return outcome.output.hasSuffix("\n") ? String(outcome.output.dropLast()) : outcome.output
    }

    /// Writes a file, making the directories above it.
    func write(_ text: String, to path: String) throws {
        try check("mkdir -p \"$(dirname \(quoted(path)))\"; printf %s \(quoted(text)) >\(quoted(path))")
    }

    /// At the end of its input the driver ends, and the sandbox with it.
    private func end() {
        commands.withLock { $0 = nil }
        var status: Int32 = 0
        _ = try? eventually("the sandbox ends", seconds: 20) {
            waitpid(process.pid, &status, WNOHANG) != 0 ? true : nil
        }
    }

    // MARK: - Pipes

    private static func pipe() throws -> (reading: FileDescriptor, writing: FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw SystemError(code: errno, action: "cannot make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
    }

    private func write(_ bytes: [UInt8], to pipe: FileDescriptor) throws {
        signal(SIGPIPE, SIG_IGN)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(pipe.raw, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw gone() }
            rest = rest.dropFirst(count)
        }
    }

    private func read(_ count: Int, until deadline: Deadline) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            var polled = pollfd(fd: answers.raw, events: Int16(POLLIN), revents: 0)
            let ready = poll(&polled, 1, deadline.milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw Failure(description: "the sandbox does not answer") }
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(answers.raw, buffer.baseAddress.map { $0 + filled }, count - filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw gone() }
            filled += got
        }
        return bytes
    }

    private func gone() -> Failure {
        let errors = (try? TextFile.read(log.path + "/errors", limit: 1 << 20)) ?? ""
        return Failure(description: "the sandbox is gone: \(errors)")
    }
}

/// A moment on the monotonic clock until which is waited.
private struct Deadline {
    private let end: Int

    init(seconds: Int) { end = Self.now + seconds * 1000 }

    var milliseconds: Int32 { Int32(clamping: max(end - Self.now, 0)) }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

/// One word of a shell script, whatever is in it.
func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
}
