// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// Files on relightctl's side.
enum LocalFile {
    /// Writes a file beside `path` and moves it there, so that nobody sees half of it. What is no regular file, such as
    /// a device or a pipe, is written to as it stands.
    static func replace(_ path: String, with bytes: [UInt8]) throws(ToolFailure) {
        var information = stat()
        let isSpecial = stat(path, &information) == 0 && information.st_mode & S_IFMT != S_IFREG
        let target = isSpecial ? path : "\(path).\(getpid()).part"
        let flags = isSpecial ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW
        let fd = open(target, flags, 0o666)
        guard fd >= 0 else { throw failure(path, reason(errno)) }
        if let problem = put(bytes, fd) {
            close(fd)
            if !isSpecial { unlink(target) }
            throw failure(path, problem)
        }
        guard close(fd) == 0, isSpecial || rename(target, path) == 0 else {
            let problem = reason(errno)
            if !isSpecial { unlink(target) }
            throw failure(path, problem)
        }
    }

    /// Everything up to the end of standard input.
    static func standardInput(limit: Int) throws(ToolFailure) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .local("standard input cannot be read: \(reason(errno))", "give the script as an argument")
            }
            if count == 0 { break }
            bytes += chunk.prefix(count)
            guard bytes.count <= limit else {
                throw .local("the script is longer than \(limit) bytes", "load the bulk of it from the page's server")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func failure(_ path: String, _ reason: String) -> ToolFailure {
        .local("\(Text.safe(path)) cannot be written: \(reason)", "name a file in a directory that you may write to")
    }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
