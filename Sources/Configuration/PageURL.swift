// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Addresses a view may be given. The renderer parses them for good; this finds what can only be a mistake.
package enum PageURL {
    package static let maximumLength = 8192

    /// What makes `text` unusable as a page's address, as the end of a sentence that starts with it; nil if it is fine.
    package static func problem(with text: String) -> String? {
        guard text.utf8.count <= maximumLength else { return "is longer than \(maximumLength) bytes" }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return "contains white space or a control character"
        }
        guard let colon = text.firstIndex(of: ":") else { return "has no scheme" }
        let rest = text[text.index(after: colon)...]
        switch text[..<colon].lowercased() {
        case "http", "https": return problemWithAuthority(rest)
        case "file": return rest.hasPrefix("///") ? nil : "does not name an absolute path"
        case "about": return rest.isEmpty ? "names no page" : nil
        default: return "has an unsupported scheme"
        }
    }

    private static func problemWithAuthority(_ rest: Substring) -> String? {
        guard rest.hasPrefix("//") else { return "has no '//' after the scheme" }
        let authority = rest.dropFirst(2).prefix { !"/?#\\".contains($0) }
        var host = authority[...]
        if let at = host.lastIndex(of: "@") { host = host[host.index(after: at)...] }
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return "has a '[' without ']'" }
            return problemWithPort(host[host.index(after: end)...])
        }
        let name = host.prefix { $0 != ":" }
        guard !name.isEmpty else { return "has no host" }
        return problemWithPort(host[name.endIndex...])
    }

    private static func problemWithPort(_ text: Substring) -> String? {
        guard !text.isEmpty else { return nil }
        guard text.hasPrefix(":") else { return "has something after the host that is not a port" }
        let digits = text.dropFirst()
        guard digits.isEmpty || Quantity.wholeNumber(String(digits)).map({ $0 <= 65535 }) == true else {
            return "has a port that is not a number up to 65535"
        }
        return nil
    }
}
