// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

extension Cookie {
    /// Whether the cookie is what the prefix of its name promises to the server, in any letter case: `__Secure-`,
    /// `__Host-`, `__Http-` (set over HTTP, never by a script), `__Host-Http-`.
    ///
    /// `hasRootPath` says that the path is `/` because the server wrote so, not by default.
    func keepsItsPrefix(hasRootPath: Bool) -> Bool {
        // A cookie without a name is sent as its bare value, which then must not look like a name with a prefix.
        if name.isEmpty { return !hasPrefix(value, "__secure-", "__host-", "__http-") }
        let isHost = isSecure && isHostOnly && hasRootPath
        if hasPrefix(name, "__host-http-") { return isHost && isHTTPOnly }
        if hasPrefix(name, "__host-") { return isHost }
        if hasPrefix(name, "__http-") { return isSecure && isHTTPOnly }
        if hasPrefix(name, "__secure-") { return isSecure }
        return true
    }

    private func hasPrefix(_ text: String, _ prefixes: String...) -> Bool {
        let start = text.utf8.prefix(16).map(lowercased)
        return prefixes.contains { start.starts(with: $0.utf8) }
    }
}
