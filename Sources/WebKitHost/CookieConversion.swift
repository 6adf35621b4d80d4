// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import CWebKitGTK
import Cookies
import GTKSupport

/// A cookie as libsoup keeps it, there and back.
enum CookieConversion {
    /// A new SoupCookie; the caller frees it. nil for what this engine cannot hold (a partitioned cookie).
    static func soup(_ cookie: Cookie) -> OpaquePointer? {
        guard cookie.partitionKey == nil else { return nil }
        let domain = cookie.isHostOnly ? cookie.domain : "." + cookie.domain
        guard let soup = soup_cookie_new(cookie.name, cookie.value, domain, cookie.path, -1) else { return nil }
        if let expires = cookie.expires, let date = g_date_time_new_from_unix_utc(gint64(expires)) {
            soup_cookie_set_expires(soup, date)
            g_date_time_unref(date)
        }
        soup_cookie_set_secure(soup, cookie.isSecure ? 1 : 0)
        soup_cookie_set_http_only(soup, cookie.isHTTPOnly ? 1 : 0)
        soup_cookie_set_same_site_policy(soup, policy(cookie.sameSite))
        return soup
    }

    static func cookie(_ soup: OpaquePointer) -> Cookie {
        let domain = text(soup_cookie_get_domain(soup))
        let isHostOnly = !domain.hasPrefix(".")
        let cookie = Cookie(
            name: text(soup_cookie_get_name(soup)), value: text(soup_cookie_get_value(soup)),
            domain: isHostOnly ? domain : String(domain.dropFirst()), isHostOnly: isHostOnly,
            path: text(soup_cookie_get_path(soup)),
            expires: soup_cookie_get_expires(soup).map { Int64(g_date_time_to_unix($0)) },
            isSecure: soup_cookie_get_secure(soup) != 0, isHTTPOnly: soup_cookie_get_http_only(soup) != 0,
            sameSite: sameSite(soup_cookie_get_same_site_policy(soup)))
        return normalised(cookie)
    }

    /// The cookie as the engine will report it. libsoup takes a cookie without SameSite for SameSite=None; since that
    /// needs Secure (RFC 6265bis, section 5.7), what is not Secure had none.
    static func normalised(_ cookie: Cookie) -> Cookie {
        var cookie = cookie
        if cookie.sameSite == .none || cookie.sameSite == .unspecified {
            cookie.sameSite = cookie.isSecure ? .none : .unspecified
        }
        return cookie
    }

    private static func policy(_ sameSite: Cookie.SameSite) -> SoupSameSitePolicy {
        switch sameSite {
        case .none, .unspecified: SOUP_SAME_SITE_POLICY_NONE
        case .lax: SOUP_SAME_SITE_POLICY_LAX
        case .strict: SOUP_SAME_SITE_POLICY_STRICT
        }
    }

    private static func sameSite(_ policy: SoupSameSitePolicy) -> Cookie.SameSite {
        switch policy {
        case SOUP_SAME_SITE_POLICY_STRICT: .strict
        case SOUP_SAME_SITE_POLICY_LAX: .lax
        default: .none
        }
    }
}
#endif
