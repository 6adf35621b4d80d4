// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Canonical host names: lower-case, non-ASCII labels in their `xn--` form.
package enum HostName {
    /// Nil if the text cannot be a host. IPv6 addresses come and go without brackets.
    package static func canonical(_ text: String) -> String? {
        guard !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
            return String(decoding: text.utf8.map(lowercased), as: UTF8.self)
        }
        let labels = normalized(text).split(separator: ".", omittingEmptySubsequences: false)
        var result: [String] = []
        for label in labels {
            guard let encoded = Punycode.label(String(label)) else { return nil }
            result.append(encoded)
        }
        return result.joined(separator: ".")
    }

    /// An IP address can only be matched whole.
    package static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(isDigit) && (Int(part) ?? 256) < 256
            }
    }

    /// Names and addresses that never leave this machine.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        return host.hasPrefix("127.") && isAddress(host)
    }

    /// RFC 6265bis, section 5.1.3: equal, or `host` ends in a dot and `domain` and is not an address.
    package static func matches(host: String, domain: String) -> Bool {
        if sameBytes(host, domain) { return true }
        let (whole, end) = (host.utf8, domain.utf8)
        guard !end.isEmpty, whole.count > end.count, whole.reversed().starts(with: end.reversed()) else { return false }
        return whole.dropLast(end.count).last == UInt8(ascii: ".") && !isAddress(host)
    }
}
