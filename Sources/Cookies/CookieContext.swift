// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// How a request, or a script's access, came about.
package struct CookieContext: Hashable, Sendable {
    /// False if the page that asks, or one that embeds it, is of another site than the address.
    package var isSameSite = true
    /// The request loads a page into a tab or window, not a part of one.
    package var isTopLevelNavigation = false
    /// GET, HEAD, OPTIONS or TRACE.
    package var hasSafeMethod = true
    /// `document.cookie` and the like, not HTTP.
    package var isScript = false
    /// The site of the page in the address bar, as `RequestURL.site`; nil if it is the request's own.
    package var topLevelSite: String?

    package init(
        isSameSite: Bool = true, isTopLevelNavigation: Bool = false, hasSafeMethod: Bool = true,
        isScript: Bool = false, topLevelSite: String? = nil
    ) {
        self.isSameSite = isSameSite
        self.isTopLevelNavigation = isTopLevelNavigation
        self.hasSafeMethod = hasSafeMethod
        self.isScript = isScript
        self.topLevelSite = topLevelSite
    }

    package static func isSafe(method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
    }
}
