// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import Glibc

/// The service's credentials (LoadCredential=, SetCredential=).
package struct Credentials: Sendable {
    package let directory: String

    package init(directory: String) { self.directory = directory }

    /// The credentials of this service; nil when it has none.
    package static func ofService() -> Credentials? {
        guard let value = getenv("CREDENTIALS_DIRECTORY") else { return nil }
        let directory = String(cString: value)
        return directory.hasPrefix("/") ? Credentials(directory: directory) : nil
    }

    /// Reads one credential of at most `limit` bytes.
    ///
    /// - Returns: nil when there is none of this name.
    /// - Throws: EINVAL for a name that is no file name; EFBIG above the limit; what opening and reading give.
    package func read(_ name: String, limit: Int = 1 << 20) throws(SystemdError) -> [UInt8]? {
        let operation = "read credential '\(name)'"
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0)
        else { throw SystemdError(operation, errno: EINVAL) }
        let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemdError(operation, errno: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: max(0, limit) + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw SystemdError(operation, errno: errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= limit else {
            throw SystemdError(operation, errno: EFBIG, detail: "it has more than \(limit) bytes")
        }
        return Array(bytes[..<count])
    }
}
