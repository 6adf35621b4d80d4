// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// One cookie, with every attribute that decides where it is sent and how long it lives (RFC 6265bis, section 5.7).
package struct Cookie: Hashable, Sendable, Codable {
    /// The `SameSite` attribute; `unspecified` is RFC 6265bis' "Default".
    package enum SameSite: String, Hashable, Sendable, Codable {
        case unspecified, none, lax, strict
    }

    package var name: String
    package var value: String
    /// Lower-case host or domain, without a leading dot; `isHostOnly` says which of the two it is.
    package var domain: String
    /// True if the cookie goes to `domain` alone, not to its subdomains.
    package var isHostOnly: Bool
    package var path: String
    /// Seconds since 1970, UTC; nil for a session cookie.
    package var expires: Int64?
    package var isSecure: Bool
    package var isHTTPOnly: Bool
    package var sameSite: SameSite
    /// The top-level site of a partitioned cookie (CHIPS); nil for an ordinary one.
    package var partitionKey: String?

    package init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expires: Int64? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite = .unspecified,
        partitionKey: String? = nil
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.partitionKey = partitionKey
    }

    /// What tells one cookie from another in a store (RFC 6265bis, section 5.7, step 23).
    package var identity: Identity {
        Identity(name: name, domain: domain, isHostOnly: isHostOnly, path: path, partitionKey: partitionKey)
    }

    package struct Identity: Hashable, Sendable, Codable {
        package var name: String
        package var domain: String
        package var isHostOnly: Bool
        package var path: String
        package var partitionKey: String?

        package init(name: String, domain: String, isHostOnly: Bool, path: String, partitionKey: String? = nil) {
            self.name = name
            self.domain = domain
            self.isHostOnly = isHostOnly
            self.path = path
            self.partitionKey = partitionKey
        }
    }
}
