// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

package enum Environment {
    /// All variables. Call before other threads change them.
    package static func current() -> [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return result
    }

    /// Writes to stderr as it is.
    package static func printError(_ text: String) {
        _ = text.withCString { write(2, $0, strlen($0)) }
    }
}

package enum Symlink {
    package static func target(of path: String) throws(SystemError) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        guard count >= 0 else { throw SystemError(code: errno, action: "cannot read link", subject: path) }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
