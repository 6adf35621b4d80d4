// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// One `Set-Cookie` field value, taken apart but not yet judged against the request it answers.
package struct ParsedSetCookie: Equatable, Sendable {
    package var name: [UInt8]
    package var value: [UInt8]
    /// From `Expires`, seconds since 1970.
    package var expires: Int64?
    /// In seconds; beats `expires`.
    package var maxAge: Int64?
    /// Lower-case, without one leading dot; empty if written empty, nil if not written.
    package var domain: [UInt8]?
    /// As written.
    package var path: [UInt8]?
    package var isSecure = false
    package var isHTTPOnly = false
    package var sameSite = Cookie.SameSite.unspecified
    package var isPartitioned = false
}

/// The parser of RFC 6265bis, section 5.6.
package enum SetCookie {
    /// Name and value together, in bytes.
    package static let maximumPairLength = 4096
    /// Longer attribute values are ignored.
    package static let maximumAttributeLength = 1024

    /// Nil if the whole field is to be ignored: control characters, too long, or nothing in it.
    package static func parse(_ field: [UInt8]) -> ParsedSetCookie? {
        guard !field.contains(where: isForbidden) else { return nil }
        var parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let pair = split(parts.removeFirst())
        // Without "=" the text is the value of a cookie without a name.
        let name = pair.value == nil ? [] : pair.name
        let value = pair.value ?? pair.name
        guard name.count + value.count <= maximumPairLength, !(name.isEmpty && value.isEmpty) else { return nil }
        var cookie = ParsedSetCookie(name: Array(name), value: Array(value))
        for part in parts {
            let attribute = split(part)
            let text = attribute.value ?? []
            guard text.count <= maximumAttributeLength else { continue }
            cookie.take(String(decoding: attribute.name.map(lowercased), as: UTF8.self), text)
        }
        return cookie
    }

    private static func isForbidden(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

    private static func split(_ part: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(part), nil) }
        return (trimmed(part[..<equals]), trimmed(part[part.index(after: equals)...]))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return bytes[first...last]
    }
}

extension ParsedSetCookie {
    fileprivate mutating func take(_ attribute: String, _ text: ArraySlice<UInt8>) {
        switch attribute {
        case "expires":
            // An unreadable date is as if it were not there.
            if let date = CookieDate.parse(text) { expires = date }
        case "max-age":
            if let seconds = Self.seconds(text) { maxAge = seconds }
        case "domain":
            domain = (text.first == UInt8(ascii: ".") ? text.dropFirst() : text).map(lowercased)
        case "path":
            path = Array(text)
        case "secure":
            isSecure = true
        case "httponly":
            isHTTPOnly = true
        case "samesite":
            sameSite = Cookie.SameSite(attribute: text)
        case "partitioned":
            isPartitioned = true
        default:
            break
        }
    }

    /// A whole number, clamped; nil if it is not one.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
        if isNegative { return -1 }
        return Int64(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}

extension Cookie.SameSite {
    /// Unknown words are the default, whatever came before.
    fileprivate init(attribute text: ArraySlice<UInt8>) {
        switch String(decoding: text.map(lowercased), as: UTF8.self) {
        case "none": self = .none
        case "lax": self = .lax
        case "strict": self = .strict
        default: self = .unspecified
        }
    }
}
