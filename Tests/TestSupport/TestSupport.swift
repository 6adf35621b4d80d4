// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Platform
import Glibc

/// A directory of a test's own, removed with everything in it when the last reference goes.
package final class TestDirectory: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/relight-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, action: "cannot make a directory") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { TestFiles.removeTree(path) }

    /// Writes a file, making the directories above it.
    package func write(_ text: String, to name: String) throws {
        let file = path + "/" + name
        try Directory.make(file.split(separator: "/").dropLast().map { "/" + $0 }.joined(), mode: 0o755)
        try TestFiles.write(text, to: file)
    }
}

package enum TestFiles {
    package static func write(_ text: String, to path: String) throws {
        let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open", subject: path) }
        let file = FileDescriptor(owning: fd)
        guard Glibc.write(file.raw, text, text.utf8.count) == text.utf8.count else {
            throw SystemError(code: errno, action: "cannot write", subject: path)
        }
    }

    package static func removeTree(_ path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in Directory.names(in: path) { removeTree(path + "/" + name) }
        rmdir(path)
    }
}

/// What was waited for did not come.
package struct TimedOut: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

/// Asks again and again until the answer is not nil; the deadline is generous, since machines are slow at times.
@discardableResult
package func eventually<T>(
    _ what: String, seconds: Double = 30, _ probe: () throws -> T?
) throws -> T {
    var start = timespec()
    clock_gettime(CLOCK_MONOTONIC, &start)
    while true {
        if let answer = try probe() { return answer }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let elapsed = Double(now.tv_sec - start.tv_sec) + Double(now.tv_nsec - start.tv_nsec) / 1e9
        guard elapsed < seconds else { throw TimedOut(description: "not within \(seconds) s: \(what)") }
        usleep(10_000)
    }
}
