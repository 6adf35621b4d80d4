// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
import Glibc

/// Where programs are.
package enum Executables {
    /// Relight's own programs: beside this one, where the build puts them.
    package static func own(_ name: String) throws(BenchError) -> String {
        let path = directory + "/" + name
        guard access(path, X_OK) == 0 else {
            throw BenchError("\(name) is not at \(path)", remedy: "swift build --product \(name)")
        }
        return path
    }

    /// The directory of the running program.
    package static var directory: String {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "./"
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }

    /// A program in PATH; nil if there is none.
    package static func search(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
