// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What became of one `Set-Cookie`.
package enum StoreOutcome: Equatable, Sendable {
    /// The jar holds this cookie now; `replaced` is the one of the same identity that it held before.
    case stored(Cookie, replaced: Cookie?)
    /// The cookie arrived expired: the server's way to delete. The jar holds none of this identity now.
    case deleted(Cookie.Identity)
    /// Nothing changed.
    case refused(Refusal)

    /// Texts for logs: they never hold any part of the cookie.
    package enum Refusal: String, Equatable, Sendable, CustomStringConvertible {
        case unreadable = "it has control characters, is too long, or is empty"
        case noCookieScheme = "the address is not of HTTP"
        case foreignDomain = "its Domain is not the host's own"
        case publicSuffix = "its Domain is a public suffix"
        case nonASCIIDomain = "its Domain has characters beyond ASCII"
        case secureOverInsecure = "it is Secure, but came over an insecure connection"
        case overlaysSecure = "it came over an insecure connection and would hide a Secure cookie"
        case httpOnlyFromScript = "it is HttpOnly, but came from a script"
        case overwritesHTTPOnly = "it came from a script and would replace an HttpOnly cookie"
        case crossSite = "its SameSite does not allow a cross-site request to set it"
        case sameSiteNoneInsecure = "SameSite=None needs Secure"
        case partitionedInsecure = "Partitioned needs Secure"
        case prefix = "it does not keep what its name's prefix promises"

        package var description: String { rawValue }
    }

    package var isRefused: Bool { if case .refused = self { true } else { false } }
}
