// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// cookies.txt, the format that curl, wget and libsoup exchange: seven fields a line, with tabs between.
///
/// It has no place for a partition, and for `SameSite` only libsoup has one, as an eighth field.
package enum NetscapeFormat {
    package static let header = "# Netscape HTTP Cookie File\n"
    private static let httpOnlyPrefix = Array("#HttpOnly_".utf8)
    private static let tab = UInt8(ascii: "\t")

    /// What a file holds.
    package struct Contents: Equatable, Sendable {
        package var cookies: [Cookie] = []
        /// Lines that are neither cookies nor comments, counted from 1.
        package var unreadableLines: [Int] = []

        package init() {}
    }

    package static func parse(_ bytes: [UInt8]) -> Contents {
        var contents = Contents()
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            if let cookie = cookie(line: Array(line)) {
                contents.cookies.append(cookie)
            } else if !isComment(line) {
                contents.unreadableLines.append(number + 1)
            }
        }
        return contents
    }

    /// The cookie of one line; nil for a comment, an empty line, and one that cannot be meant.
    package static func cookie(line: [UInt8]) -> Cookie? {
        var rest = line[...]
        while let last = rest.last, last == 0x0D || last == 0x0A { rest.removeLast() }
        let isHTTPOnly = rest.starts(with: httpOnlyPrefix)
        if isHTTPOnly { rest = rest.dropFirst(httpOnlyPrefix.count) }
        guard rest.first != UInt8(ascii: "#"), !rest.contains(where: { $0 < 0x20 && $0 != tab || $0 == 0x7F }) else {
            return nil
        }
        var fields = rest.split(separator: tab, omittingEmptySubsequences: false)
        // Some writers leave out the path.
        if fields.count >= 5, flag(fields[2]) != nil { fields.insert([UInt8(ascii: "/")], at: 2) }
        guard (6...8).contains(fields.count), let includesSubdomains = flag(fields[1]), let isSecure = flag(fields[3]),
            !fields[4].isEmpty, fields[4].allSatisfy(isDigit)
        else { return nil }
        let domain = fields[0].first == UInt8(ascii: ".") ? fields[0].dropFirst() : fields[0]
        guard let host = HostName.canonical(String(decoding: domain, as: UTF8.self)),
            fields[2].first == UInt8(ascii: "/")
        else { return nil }
        let expires = Int64(String(decoding: fields[4], as: UTF8.self)) ?? .max
        var cookie = Cookie(
            name: ByteText.string(fields[5]), value: fields.count > 6 ? ByteText.string(fields[6]) : "", domain: host,
            isHostOnly: !includesSubdomains, path: ByteText.string(fields[2]), expires: expires == 0 ? nil : expires,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly)
        if fields.count == 8 {
            guard let sameSite = sameSite(fields[7]) else { return nil }
            cookie.sameSite = sameSite
        }
        guard !(cookie.name.isEmpty && cookie.value.isEmpty), cookie.keepsItsPrefix(hasRootPath: cookie.path == "/")
        else { return nil }
        return cookie
    }

    /// The cookie's line without the line feed; nil if the format cannot say what it is: a partitioned cookie, or one
    /// with a tab in it.
    ///
    /// `withSameSite` adds libsoup's eighth field; curl does not read lines that have it.
    package static func line(for cookie: Cookie, withSameSite: Bool = false) -> [UInt8]? {
        guard cookie.partitionKey == nil, !cookie.domain.isEmpty else { return nil }
        let domain = (cookie.isHostOnly ? "" : ".") + cookie.domain
        // 0 means a session cookie, so that a date before 1970 becomes the first second of it.
        let expires = cookie.expires.map { max($0, 1) } ?? 0
        var fields: [[UInt8]] = [
            Array(domain.utf8), word(!cookie.isHostOnly), ByteText.bytes(cookie.path), word(cookie.isSecure),
            Array(String(expires).utf8), cookie.nameBytes, cookie.valueBytes,
        ]
        if withSameSite, cookie.sameSite != .unspecified { fields.append(word(cookie.sameSite)) }
        guard !fields.joined().contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        return (cookie.isHTTPOnly ? httpOnlyPrefix : []) + Array(fields.joined(separator: [tab]))
    }

    /// A whole file, and the cookies that the format has no place for.
    package static func file(
        of cookies: [Cookie], withSameSite: Bool = false
    ) -> (bytes: [UInt8], leftOut: [Cookie.Identity]) {
        var bytes = Array(header.utf8)
        var leftOut: [Cookie.Identity] = []
        for cookie in cookies {
            if let line = line(for: cookie, withSameSite: withSameSite) {
                bytes += line + [UInt8(ascii: "\n")]
            } else {
                leftOut.append(cookie.identity)
            }
        }
        return (bytes, leftOut)
    }

    private static func isComment(_ line: ArraySlice<UInt8>) -> Bool {
        if line.first == UInt8(ascii: "#") { return !line.starts(with: httpOnlyPrefix) }
        return line.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == tab }
    }

    private static func flag(_ field: ArraySlice<UInt8>) -> Bool? {
        switch String(decoding: field.map(lowercased), as: UTF8.self) {
        case "true": true
        case "false": false
        default: nil
        }
    }

    private static func word(_ flag: Bool) -> [UInt8] { Array((flag ? "TRUE" : "FALSE").utf8) }

    private static func word(_ sameSite: Cookie.SameSite) -> [UInt8] {
        switch sameSite {
        case .unspecified: []
        case .none: Array("None".utf8)
        case .lax: Array("Lax".utf8)
        case .strict: Array("Strict".utf8)
        }
    }

    private static func sameSite(_ field: ArraySlice<UInt8>) -> Cookie.SameSite? {
        switch String(decoding: field.map(lowercased), as: UTF8.self) {
        case "": .unspecified
        case "none": Cookie.SameSite.none
        case "lax": .lax
        case "strict": .strict
        default: nil
        }
    }
}
