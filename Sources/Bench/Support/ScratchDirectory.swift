// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
import Glibc
package import Platform
import Synchronization

/// A directory of this run's own that is removed with everything in it.
package final class ScratchDirectory: Sendable {
    package let path: String
    private let kept = Mutex(false)
    private let cleanup: Int

    /// True if the directory stays, for a person to look into.
    package var isKept: Bool {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }

    /// Makes the directory, readable by this user only. The path is short, since socket paths are limited (unix(7)).
    ///
    /// - Throws: `SystemError` if it cannot be made.
    package init(prefix: String = "relight-bench") throws(SystemError) {
        var template = Array("/tmp/\(prefix).XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.flatMap { mkdtemp($0) } }
        guard made != nil else { throw SystemError(code: errno, action: "cannot make a directory in", subject: "/tmp") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.path = path
        cleanup = Cleanup.remember { Self.removeTree(path) }
    }

    deinit { remove() }

    /// Removes it, unless it is to be kept.
    package func remove() {
        Cleanup.forget(cleanup)
        guard !isKept else { return }
        Self.removeTree(path)
    }

    /// Tries more than once, since a process that is just dying may add a file meanwhile.
    private static func removeTree(_ path: String) {
        for _ in 0..<20 {
            try? FileManager.default.removeItem(atPath: path)
            guard access(path, F_OK) == 0 else { return }
            MonotonicClock.sleep(microseconds: 50_000)
        }
    }

    /// Makes a directory below this one and returns its path.
    package func directory(_ name: String) throws -> String {
        let path = self.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    /// Writes a file below this one and returns its path.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String {
        let path = self.path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }
}
