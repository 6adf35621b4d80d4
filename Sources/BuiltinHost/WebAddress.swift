// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CCurl

/// An absolute address of http or https, as libcurl reads and writes it.
package struct WebAddress: Equatable, Sendable {
    package let text: String

    /// Nil if it is none, or of another scheme.
    package init?(_ text: String) {
        guard let url = CurlURL(), url.set(text), let address = url.address() else { return nil }
        self = address
    }

    private init(text: String) { self.text = text }

    /// Where a `Location` of this page's leads; nil if that is no address of http or https. A fragment stays unless the
    /// new address has its own (RFC 9110, section 10.2.2).
    package func redirected(to location: String) -> WebAddress? {
        guard let url = CurlURL(), url.set(text) else { return nil }
        let fragment = url.part(CURLUPART_FRAGMENT)
        guard url.set(location) else { return nil }
        if let fragment, url.part(CURLUPART_FRAGMENT) == nil { url.setFragment(fragment) }
        return url.address()
    }

    fileprivate static func make(_ text: String) -> WebAddress { WebAddress(text: text) }
}

/// libcurl's URL parser; freed when it is dropped.
private struct CurlURL: ~Copyable {
    private let handle: OpaquePointer

    init?() {
        guard let handle = curl_url() else { return nil }
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    /// A relative one is resolved against what was set before.
    borrowing func set(_ text: String) -> Bool {
        // Spaces and bytes beyond ASCII are written as percent codes.
        curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_URLENCODE)) == CURLUE_OK
    }

    borrowing func setFragment(_ text: String) { curl_url_set(handle, CURLUPART_FRAGMENT, text, 0) }

    borrowing func part(_ part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    borrowing func address() -> WebAddress? {
        guard let scheme = part(CURLUPART_SCHEME), scheme == "http" || scheme == "https" else { return nil }
        return part(CURLUPART_URL).map(WebAddress.make)
    }
}
