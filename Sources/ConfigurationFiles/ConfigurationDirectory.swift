// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Configuration
package import Platform
import Glibc

/// Reads the files of a configuration directory, and says which it does not read.
package enum ConfigurationDirectory {
    /// Where relightd looks when it is not told otherwise.
    package static func standard(_ environment: (String) -> String?, isRoot: Bool = geteuid() == 0) -> String {
        if isRoot { return "/etc/relight" }
        if let directory = environment("XDG_CONFIG_HOME"), directory.hasPrefix("/") { return directory + "/relight" }
        return (environment("HOME") ?? "") + "/.config/relight"
    }

    /// Loads what is there; a file that cannot be read is a diagnostic.
    ///
    /// - Throws: the error of reading the directory itself.
    package static func load(_ directory: String) throws(SystemError) -> Configuration.Loaded {
        var reading = Reading(directory: directory)
        try reading.folder("")
        var loaded = Configuration.load(reading.files)
        loaded.isComplete = reading.isComplete
        loaded.diagnostics += reading.diagnostics
        loaded.diagnostics.sort { $0.path != $1.path ? $0.path < $1.path : ($0.line ?? 0) < ($1.line ?? 0) }
        return loaded
    }
}

private struct Reading {
    let directory: String
    var files: [ConfigurationFile] = []
    var diagnostics: [Diagnostic] = []
    /// False if a folder could not be listed.
    var isComplete = true

    private static let folders = ["pools", "views", "relight.conf.d"]

    /// Reads what lies in a folder, given relative to the directory.
    mutating func folder(_ relative: String) throws(SystemError) {
        for name in try names(in: relative.isEmpty ? directory : "\(directory)/\(relative)") {
            let path = relative.isEmpty ? name : "\(relative)/\(name)"
            if ConfigurationFile(relativePath: path, bytes: []) != nil {
                read(path)
            } else if isFolder(path) {
                do {
                    try folder(path)
                } catch {
                    isComplete = false
                    diagnostics.append(
                        Diagnostic(
                            .error, path: "\(directory)/\(path)", message: "it cannot be listed: \(error.reason)",
                            remedy: "make it readable for relightd's user, or remove it"))
                }
            } else if let remedy = remedy(forIgnored: path) {
                diagnostics.append(
                    Diagnostic(.warning, path: "\(directory)/\(path)", message: "relightd ignores this", remedy: remedy)
                )
            }
        }
    }

    private func isFolder(_ path: String) -> Bool {
        if Self.folders.contains(path) { return true }
        return path.hasSuffix(".d") && (path.hasPrefix("pools/") || path.hasPrefix("views/"))
            && path.count { $0 == "/" } == 1
    }

    /// Why a name is probably a mistake; nil for what is left lying about on purpose, such as backups.
    private func remedy(forIgnored path: String) -> String? {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let leftovers = ["~", ".bak", ".orig", ".rej", ".swp", ".dpkg-old", ".dpkg-dist", ".dpkg-new", ".md", ".txt"]
        if name.hasPrefix(".") || name.hasPrefix("README") || leftovers.contains(where: name.hasSuffix) { return nil }
        if path.hasPrefix("pools/") { return path.contains(".d/") ? "name it NAME.conf" : "name it NAME.pool" }
        if path.hasPrefix("views/") { return path.contains(".d/") ? "name it NAME.conf" : "name it NAME.view" }
        if path.hasPrefix("relight.conf.d/") { return "name it NAME.conf" }
        return nearestName(to: name, among: ["relight.conf"] + Self.folders).map { "did you mean '\($0)'?" }
    }

    private mutating func read(_ path: String) {
        guard var file = ConfigurationFile(relativePath: path, in: directory, bytes: []) else { return }
        do {
            file.bytes = try Self.bytes(of: "\(directory)/\(path)")
        } catch {
            // It is there all the same: what it configures must not pass for removed.
            file.problem = error.reason
        }
        files.append(file)
    }

    private func names(in path: String) throws(SystemError) -> [String] { try Directory.list(path).sorted() }

    /// A file's content, up to one byte more than is allowed. A pipe or a device is refused, not waited for.
    private static func bytes(of path: String) throws(SystemError) -> [UInt8] {
        let file = FileDescriptor(
            owning: try SystemError.check(result(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)), "cannot open", path))
        var information = stat()
        _ = try SystemError.check(result(fstat(file.raw, &information)), "cannot examine", path)
        guard information.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(
                code: information.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL, action: "cannot read", subject: path)
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= ConfigurationFile.maximumSize {
            let count = Glibc.read(file.raw, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            if try SystemError.check(result(Int32(count)), "cannot read", path) == 0 { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    /// What glibc returned, as "value or -errno".
    private static func result(_ value: Int32) -> Int32 { value < 0 ? -errno : value }
}
