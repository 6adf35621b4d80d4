// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import RelightKit
import TestSupport
import Wire

/// A pool whose renderer is not there: views can be opened and closed, and none is ever shown.
let poolWithoutRenderer = """
    [Pool]
    Renderer=/nonexistent/renderer
    RestartBackoff=5s
    """

func view(_ url: String = "http://page.test/", pool: String = "default") -> String {
    "[View]\nURL=\(url)\nPool=\(pool)\n"
}

extension DaemonProcess {
    /// The lines of the log that hold all of these.
    func lines(_ parts: String...) -> [String] {
        log.split(separator: "\n").map(String.init).filter { line in parts.allSatisfy { line.contains($0) } }
    }

    /// Waits for a line that holds all of these, and returns the first.
    @discardableResult
    func line(_ parts: String..., seconds: Double = 30) throws -> String {
        do {
            return try eventually("a line with \(parts)", seconds: seconds) {
                log.split(separator: "\n").first { line in parts.allSatisfy { line.contains($0) } }.map(String.init)
            }
        } catch let error as TimedOut {
            throw TimedOut(description: "\(error), in this log:\n\(log)")
        }
    }

    var pid: Int32 { process.pid }

    /// How many descriptors relightd has open.
    var descriptorCount: Int { Directory.names(in: "/proc/\(pid)/fd").count }

    /// Reads the configuration again, and waits until it has done so.
    func reload() throws {
        let before = lines("configuration", "read again").count
        try signal(SIGHUP)
        try eventually("the configuration is read again") {
            lines("configuration", "read again").count > before ? true : nil
        }
    }

    func replace(_ name: String, with text: String) throws { try directory.write(text, to: "etc/" + name) }
    func remove(_ name: String) { TestFiles.removeTree(directory.path + "/etc/" + name) }

    /// Ends it in order; the exit code, or nil if a signal ended it.
    func stop(_ signal: Int32 = SIGTERM) throws -> Int32? {
        try self.signal(signal)
        let status = try waitForExit()
        return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
    }
}

/// Lets this process have many descriptors.
func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
