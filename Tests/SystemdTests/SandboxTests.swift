// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import Systemd
import TestSupport
import Testing

/// Scripts/systemd-sandbox: a real systemd for a command.
@Suite(.enabled(if: Command.isRoot && access("/lib/systemd/systemd", X_OK) == 0, "needs root and systemd"), .serialized)
struct SandboxTests {
    private static let script = Command.repository + "/Scripts/systemd-sandbox"

    private func sandbox(_ arguments: [String]) throws -> Command {
        try Command([Self.script] + arguments)
    }

    @Test func theStatusIsTheCommands() throws {
        #expect(try sandbox(["true"]).status == 0)
        #expect(try sandbox(["--", "sh", "-c", "exit 42"]).status == 42)
        #expect(try sandbox(["--", "sh", "-c", "kill -TERM $$"]).status == 128 + SIGTERM)
        #expect(try sandbox(["--", "/nonexistent"]).status == 127)
    }

    @Test func misuseIsNamed() throws {
        for (arguments, complaint) in [
            ([], "no command given"), (["--frobnicate"], "unknown option '--frobnicate'"),
            (["--unit-dir"], "--unit-dir needs a value"),
            (["--unit-dir", "/nonexistent", "true"], "no such directory"),
            (["--timeout", "soon", "true"], "a number of seconds, not 'soon'"),
        ] {
            let result = try sandbox(arguments)
            #expect(result.status == 125 && result.output.contains(complaint), "\(arguments): \(result.output)")
        }
        #expect(try sandbox(["--help"]).output.contains("Examples:"))
    }

    @Test func systemdIsUpWithAJournalAndUnits() throws {
        let directory = try TestDirectory()
        try directory.write(
            "[Service]\nType=oneshot\nExecStart=/bin/echo hello from the unit\n", to: "hello.service")
        let result = try sandbox([
            "--unit-dir", directory.path, "--", "sh", "-ec",
            """
            systemctl is-system-running
            systemctl start hello
            journalctl --unit hello --output cat --no-pager
            systemd-run --quiet --wait --pipe --property MemoryMax=64M cat /proc/self/cgroup | grep -o 'run-.*service' | head -n 1
            test -e Package.swift
            touch /etc/relight-sandbox-was-here /var/relight-sandbox-was-here /tmp/relight-sandbox-was-here
            """,
        ])
        #expect(result.status == 0, "\(result.output)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "running")
        #expect(lines.contains("hello from the unit"))
        #expect(lines.last?.hasPrefix("run-") == true)
        for directory in ["etc", "var", "tmp"] {
            #expect(access("/\(directory)/relight-sandbox-was-here", F_OK) == -1)
        }
    }

    @Test func nothingIsLeft() throws {
        // A word that only the processes of this test know.
        let mark = "7\(getpid())"
        let result = try sandbox([
            "--", "sh", "-c", "sleep \(mark) & systemd-run --quiet sleep \(mark); systemctl is-active 'run-*'; exit 3",
        ])
        #expect(result.status == 3)
        #expect(result.output.contains("active"), "\(result.output)")
        #expect(processes(with: mark).isEmpty)
        #expect(try cgroups().isEmpty)
    }

    /// SIGKILL leaves the script no chance to clean up; the kernel does it, but for empty cgroups, which the next run
    /// removes.
    @Test(arguments: [SIGTERM, SIGKILL])
    func nothingIsLeftOfOneThatIsKilled(_ signal: Int32) throws {
        let mark = "8\(getpid())\(signal)"
        let process = try ChildProcess.spawn(
            path: Self.script, arguments: [Self.script, "sleep", mark],
            environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"], descriptors: [nil, nil, nil])
        try eventually("the command") { processes(with: mark, program: "sleep").isEmpty ? nil : true }
        try process.signal(signal)
        var status: Int32 = 0
        waitpid(process.pid, &status, 0)
        #expect(signal == SIGKILL ? status == SIGKILL : status == (128 + SIGTERM) << 8)
        try eventually("the end of it all") { processes(with: mark).isEmpty ? true : nil }
        #expect(try sandbox(["true"]).status == 0)
        #expect(try cgroups().isEmpty)
    }

    /// PIDs of the processes with a text in their command lines.
    private func processes(with text: String, program: String = "") -> [String] {
        Directory.names(in: "/proc").filter { name in
            guard name.allSatisfy(\.isNumber),
                let line = try? TextFile.read("/proc/\(name)/cmdline", limit: 65536)
            else { return false }
            return line.hasPrefix(program) && line.contains(text)
        }
    }

    /// Sandboxes' cgroups whose script is gone.
    private func cgroups() throws -> [String] {
        let root = "/sys/fs/cgroup"
        let candidates = [root] + Directory.names(in: root).map { root + "/" + $0 }
        return candidates.flatMap { directory in
            Directory.names(in: directory).filter { $0.hasPrefix("relight-sandbox-") }.map { directory + "/" + $0 }
        }.filter { path in
            let pid = path.split(separator: "-").last.map(String.init) ?? ""
            let command = (try? TextFile.read("/proc/\(pid)/cmdline", limit: 65536)) ?? ""
            return !command.contains("systemd-sandbox")
        }
    }
}
