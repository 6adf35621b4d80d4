// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// One file as the caller read it: this target does no input or output itself.
package struct ConfigurationFile: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case daemon
        case pool(String)
        case view(String)
    }

    /// The largest file that is read; a caller may stop reading one byte later.
    package static let maximumSize = 1 << 20
    /// The longest line, in bytes, before continuation lines are joined.
    package static let maximumLineLength = 64 << 10

    package var kind: Kind
    /// True for a file of a `.d` directory, which is merged over the file it belongs to.
    package var isDropIn: Bool
    /// For diagnostics, and for the order of drop-ins: the last component decides.
    package var path: String
    package var bytes: [UInt8]
    /// Why the file, which is there, could not be read; nil if it could.
    package var problem: String?

    package init(kind: Kind, isDropIn: Bool = false, path: String, bytes: [UInt8]) {
        self.kind = kind
        self.isDropIn = isDropIn
        self.path = path
        self.bytes = bytes
    }

    package init(kind: Kind, isDropIn: Bool = false, path: String, text: String) {
        self.init(kind: kind, isDropIn: isDropIn, path: path, bytes: Array(text.utf8))
    }

    /// Takes the kind from where the file lies in the configuration directory: `relight.conf`, `pools/NAME.pool`,
    /// `views/NAME.view`, or `*.conf` in one of these with `.d` appended. Nil for any other file: Relight ignores it.
    ///
    /// - Parameters:
    ///   - relativePath: relative to the configuration directory.
    ///   - directory: put before `relativePath` in diagnostics, with a slash between.
    ///   - bytes: the content.
    package init?(relativePath: String, in directory: String? = nil, bytes: [UInt8]) {
        var parts = relativePath.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        isDropIn = false
        if let folder = parts.dropLast().last, folder.hasSuffix(".d") {
            guard let name = parts.last, name.hasSuffix(".conf"), !name.hasPrefix(".") else { return nil }
            isDropIn = true
            parts.removeLast()
            parts[parts.count - 1] = String(folder.dropLast(2))
        }
        guard let kind = Self.kind(of: parts) else { return nil }
        self.kind = kind
        self.path = directory.map { $0 + "/" + relativePath } ?? relativePath
        self.bytes = bytes
    }

    private static func kind(of parts: [String]) -> Kind? {
        if parts == ["relight.conf"] { return .daemon }
        guard parts.count == 2, !parts[1].hasPrefix(".") else { return nil }
        switch parts[0] {
        case "pools" where parts[1].hasSuffix(".pool"): return .pool(String(parts[1].dropLast(5)))
        case "views" where parts[1].hasSuffix(".view"): return .view(String(parts[1].dropLast(5)))
        default: return nil
        }
    }
}
