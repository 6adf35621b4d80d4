// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Configuration
import Platform

/// Reads a configuration directory: `relight.conf`, `pools/`, `views/` and their drop-ins.
package enum ConfigurationReader {
    /// A directory that does not exist is an empty configuration; a file that cannot be read is a diagnostic.
    package static func load(_ directory: String) -> Configuration.Loaded {
        var files: [ConfigurationFile] = []
        var unreadable: [Diagnostic] = []
        for relative in paths(in: directory) {
            guard let probe = ConfigurationFile(relativePath: relative, in: directory, bytes: []) else { continue }
            do {
                let bytes = try TextFile.bytes(probe.path, limit: ConfigurationFile.maximumSize + 1)
                files.append(
                    ConfigurationFile(kind: probe.kind, isDropIn: probe.isDropIn, path: probe.path, bytes: bytes))
            } catch {
                unreadable.append(
                    Diagnostic(
                        .error, path: probe.path, message: "it cannot be read: \(error.reason)",
                        remedy: "make it readable for relightd's user, or remove it"))
            }
        }
        var loaded = Configuration.load(files)
        loaded.diagnostics.append(contentsOf: unreadable)
        return loaded
    }

    private static func paths(in directory: String) -> [String] {
        var paths = ["relight.conf"].filter { Directory.names(in: directory).contains($0) }
        for folder in ["relight.conf.d", "pools", "views"] {
            for name in Directory.names(in: directory + "/" + folder).sorted() {
                let path = folder + "/" + name
                if folder != "relight.conf.d", name.hasSuffix(".d") {
                    paths.append(
                        contentsOf: Directory.names(in: directory + "/" + path).sorted().map { path + "/" + $0 })
                } else {
                    paths.append(path)
                }
            }
        }
        return paths
    }
}
