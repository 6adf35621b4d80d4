// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// Small files, read whole.
package enum TextFile {
    /// The bytes of a file of at most `limit` bytes.
    package static func bytes(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        // Not to wait for a writer, should it be a pipe.
        let fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open", subject: path) }
        let file = FileDescriptor(owning: fd)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = Glibc.read(file.raw, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError(code: errno, action: "cannot read", subject: path)
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= limit else { throw SystemError(code: EFBIG, action: "refused to read", subject: path) }
        }
    }

    /// The text of a file; bytes that are not UTF-8 are replaced.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> String {
        String(decoding: try bytes(path, limit: limit), as: UTF8.self)
    }

    /// Overwrites an existing file in one write, as cgroup files want it.
    package static func write(_ text: String, to path: String) throws(SystemError) {
        let fd = open(path, O_WRONLY | O_CLOEXEC)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open", subject: path) }
        let file = FileDescriptor(owning: fd)
        guard Glibc.write(file.raw, text, text.utf8.count) >= 0 else {
            throw SystemError(code: errno, action: "cannot write", subject: path)
        }
    }
}

package enum Directory {
    /// The names in a directory without "." and "..", in no order; none if it cannot be read.
    package static func names(in path: String) -> [String] { (try? list(path)) ?? [] }

    /// The names in a directory without "." and "..", in no order.
    package static func list(_ path: String) throws(SystemError) -> [String] {
        guard let directory = opendir(path) else {
            throw SystemError(code: errno, action: "cannot list", subject: path)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw SystemError(code: errno, action: "cannot list", subject: path) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    /// Makes a directory and those above it; one that exists is left as it is.
    package static func make(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
        if mkdir(path, mode) == 0 || errno == EEXIST { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try make(String(path[..<slash]), mode: mode)
            if mkdir(path, mode) == 0 || errno == EEXIST { return }
        }
        throw SystemError(code: errno, action: "cannot make directory", subject: path)
    }
}
