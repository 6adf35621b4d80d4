// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The parts of a request's address that decide about cookies.
package struct RequestURL: Hashable, Sendable {
    /// Lower-case.
    package var scheme: String
    /// Canonical, without brackets.
    package var host: String
    /// As it goes on the wire, without query and fragment; starts with a slash.
    package var path: String

    package init(scheme: String, host: String, path: String) {
        self.scheme = scheme
        self.host = host
        self.path = path
    }

    /// Nil if `text` has no scheme or no usable host.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        scheme = text[..<colon].lowercased()
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let tail = rest.dropFirst(2)
        let authority = tail.prefix { !"/?#".contains($0) }
        var name = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        if name.hasPrefix("[") {
            guard let end = name.firstIndex(of: "]") else { return nil }
            name = name[name.index(after: name.startIndex)..<end]
        } else if let port = name.lastIndex(of: ":") {
            name = name[..<port]
        }
        guard let host = HostName.canonical(String(name)) else { return nil }
        self.host = host
        let path = tail[authority.endIndex...].prefix { !"?#".contains($0) }
        self.path = path.isEmpty ? "/" : String(path)
    }

    /// Cookies exist for HTTP and for WebSocket handshakes only.
    package var hasCookies: Bool { ["http", "https", "ws", "wss"].contains(scheme) }

    /// Whether nobody on the way can read or change what is sent.
    package var isSecure: Bool { scheme == "https" || scheme == "wss" || hasCookies && HostName.isLoopback(host) }

    /// Scheme and registrable domain, such as `https://example.org`: the key of partitioned cookies, and what
    /// "same site" compares. A host that has no registrable domain stands for itself.
    package func site(_ suffixes: any PublicSuffixList) -> String {
        let name = suffixes.registrableDomain(of: host) ?? host
        let scheme = scheme == "ws" ? "http" : scheme == "wss" ? "https" : scheme
        return scheme + "://" + (name.contains(":") ? "[\(name)]" : name)
    }

    /// The directory of the path: what a cookie without `Path` gets (RFC 6265bis, section 5.1.4).
    package var defaultPath: String { Self.defaultPath(of: path) }

    package static func defaultPath(of path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/"), let last = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            last > path.startIndex
        else { return "/" }
        return String(path[..<last])
    }

    /// Whether a cookie with `cookiePath` goes to `path`: equal, or a prefix that ends where a segment ends.
    package static func matches(path: String, cookiePath: String) -> Bool {
        let (path, cookiePath) = (path.utf8, cookiePath.utf8)
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path.dropFirst(cookiePath.count).first == UInt8(ascii: "/")
    }
}
