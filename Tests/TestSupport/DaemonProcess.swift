// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Platform
package import RelightKit
import Glibc

/// A real relightd with directories of its own, driven through its control socket.
package final class DaemonProcess {
    package let directory: TestDirectory
    package private(set) var process: ChildProcess
    private let extraEnvironment: [String]
    private let arguments: [String]
    private let wrapper: [String]
    private let logPath: String
    private var hasEnded = false

    /// The directory of the built executables: that of the test runner.
    package static func builtProducts() throws -> String {
        let executable = try Symlink.target(of: "/proc/self/exe")
        let directory = executable.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        if access(directory + "/relightd", X_OK) == 0 { return directory }
        // The runner of some toolchains is a program of theirs; then the bundle is the first argument.
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            let directory = argument.split(separator: "/").dropLast().map { "/" + $0 }.joined()
            if access(directory + "/relightd", X_OK) == 0 { return directory }
        }
        throw SystemError(code: ENOENT, action: "cannot find relightd beside", subject: executable)
    }

    /// - Parameters:
    ///   - files: the configuration, by name below its directory.
    ///   - environment: further variables, `NAME=value`.
    ///   - directory: one that is there already, for what has to be in it before relightd starts.
    ///   - arguments: of relightd, after those that name its directories.
    ///   - wrapper: a command that ends by executing its further arguments, in the same process.
    ///   - name: of the log, where several share a directory.
    /// - Throws: where a file cannot be written or relightd cannot be started.
    package init(
        files: [String: String], environment: [String] = [], directory: TestDirectory? = nil,
        arguments: [String] = [], wrapper: [String] = [], name: String = "log"
    ) throws {
        let directory = try directory ?? TestDirectory()
        self.directory = directory
        extraEnvironment = environment
        self.arguments = arguments
        self.wrapper = wrapper
        logPath = directory.path + "/" + name
        if files["relight.conf"] == nil { try directory.write("", to: "etc/relight.conf") }
        for (name, text) in files { try directory.write(text, to: "etc/" + name) }
        process = try Self.launch(directory, environment, arguments, wrapper, logPath)
    }

    private static func launch(
        _ directory: TestDirectory, _ environment: [String], _ arguments: [String], _ wrapper: [String],
        _ logPath: String
    ) throws -> ChildProcess {
        let path = try builtProducts() + "/relightd"
        let fd = open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open the log") }
        let log = FileDescriptor(owning: fd)
        var all = Environment.current().filter { $0.key != "NOTIFY_SOCKET" && $0.key != "JOURNAL_STREAM" }
        all["SWIFT_BACKTRACE"] = "enable=no"
        let command =
            wrapper + [
                path, "--config", directory.path + "/etc", "--state", directory.path + "/state", "--runtime",
                directory.path + "/run",
            ] + arguments
        return try ChildProcess.spawn(
            path: command[0], arguments: command,
            environment: all.map { "\($0.key)=\($0.value)" } + environment, descriptors: [nil, log, log])
    }

    deinit {
        if !hasEnded { end() }
    }

    package var socketPath: String { directory.path + "/run/io.relight" }

    /// All that relightd and its hosts have said so far.
    package var log: String { (try? TextFile.read(logPath, limit: 64 << 20)) ?? "" }

    package func client() throws -> ControlClient {
        try eventually("relightd answers") { try? ControlClient(path: socketPath) }
    }

    package func signal(_ number: Int32) throws { try process.signal(number) }

    /// Waits for the end; the exit status as wait(2) gives it.
    @discardableResult
    package func waitForExit(seconds: Double = 30) throws -> Int32 {
        let status: Int32 = try eventually("relightd ends", seconds: seconds) {
            var status: Int32 = 0
            return waitpid(process.pid, &status, WNOHANG) == process.pid ? status : nil
        }
        hasEnded = true
        return status
    }

    /// Starts relightd again on the same directories, after `waitForExit`.
    package func restart() throws {
        process = try Self.launch(directory, extraEnvironment, arguments, wrapper, logPath)
        hasEnded = false
    }

    /// Stops it, in order if it can, and takes what it left with it.
    package func end() {
        let family = ProcessTable.descendants(of: process.pid)
        try? process.signal(SIGTERM)
        if (try? waitForExit(seconds: 15)) == nil {
            try? process.signal(SIGKILL)
            _ = try? waitForExit(seconds: 5)
        }
        for member in family { ProcessTable.kill(member) }
    }
}
