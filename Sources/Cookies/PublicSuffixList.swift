// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Under which names anybody can register: no cookie may be for a whole one of these.
package protocol PublicSuffixList: Sendable {
    /// The public suffix that `host` ends in (or is), in the form of `host`, which is canonical and no address.
    func publicSuffix(of host: String) -> String?
}

extension PublicSuffixList {
    package func isPublicSuffix(_ domain: String) -> Bool {
        suffix(of: domain).map { sameBytes($0, domain) } ?? false
    }

    /// The suffix and one label more: what one owner has. Nil for addresses and for a public suffix itself.
    package func registrableDomain(of host: String) -> String? {
        guard !HostName.isAddress(host), !host.hasPrefix("."), let suffix = suffix(of: host) else { return nil }
        let rest = host.utf8.dropLast(suffix.utf8.count)
        guard rest.last == UInt8(ascii: "."), rest.count > 1 else { return nil }
        let start = rest.dropLast().lastIndex(of: UInt8(ascii: ".")).map { rest.index(after: $0) } ?? rest.startIndex
        return String(host[start...])
    }

    /// Whether `host` may set cookies for `domain`, which it matches. A name above the host's own suffix is refused
    /// even if it is no suffix itself, as libpsl and browsers do.
    package func isAcceptable(domain: String, for host: String) -> Bool {
        if sameBytes(domain, host) { return true }
        guard HostName.matches(host: host, domain: domain) else { return false }
        return domain.utf8.count > (suffix(of: host)?.utf8.count ?? 0)
    }

    /// Like `publicSuffix`, for fully qualified names with a dot at the end as well.
    private func suffix(of host: String) -> String? {
        guard host.hasSuffix(".") else { return publicSuffix(of: host) }
        return publicSuffix(of: String(host.dropLast())).map { $0 + "." }
    }
}

/// A list of one's own, in the notation of publicsuffix.org: `com`, `*.ck`, `!www.ck`; in `xn--` form.
package struct PublicSuffixRules: PublicSuffixList {
    private let rules: Set<String>

    package init(_ rules: some Sequence<String>) { self.rules = Set(rules) }

    package func publicSuffix(of host: String) -> String? {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        // The longest rule wins, an exception beats all; without any rule the last label is the suffix.
        for start in labels.indices {
            let name = labels[start...].joined(separator: ".")
            if rules.contains("!" + name) { return labels[(start + 1)...].joined(separator: ".") }
            if rules.contains(name) { return name }
            if rules.contains("*." + labels[(start + 1)...].joined(separator: ".")) { return name }
        }
        return labels.last.map(String.init)
    }
}
