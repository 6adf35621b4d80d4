// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// One request as the page server reads it.
package struct HTTPRequest: Sendable, Equatable {
    package var method: String
    /// Path and query as sent.
    package var target: String
    /// Names in lower case, in the order of arrival.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    package var isKeptAlive: Bool

    package init(
        method: String, target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        isKeptAlive: Bool = true
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.isKeptAlive = isKeptAlive
    }

    package static func == (a: HTTPRequest, b: HTTPRequest) -> Bool {
        a.method == b.method && a.target == b.target && a.body == b.body && a.isKeptAlive == b.isKeptAlive
            && a.headers.elementsEqual(b.headers) { $0 == $1 }
    }

    /// The values of a header, joined as RFC 9110 allows.
    package func header(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: name == "cookie" ? "; " : ", ")
    }

    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The pairs of the query, decoded, in order.
    package var query: [(name: String, value: String)] {
        FormCoding.pairs(of: target.drop { $0 != "?" }.dropFirst())
    }

    package func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

extension HTTPRequest {
    package enum Parsed: Sendable, Equatable {
        case incomplete
        case request(HTTPRequest, length: Int)
        /// Not HTTP, or too large: the status to answer with before closing.
        case invalid(status: Int)
    }

    static let headLimit = 64 << 10
    static let bodyLimit = 4 << 20

    /// Reads the first request of `bytes`, if it is there as a whole.
    package static func parse(_ bytes: [UInt8]) -> Parsed {
        guard let headEnd = endOfHead(bytes) else {
            return bytes.count > headLimit ? .invalid(status: 431) : .incomplete
        }
        guard headEnd <= headLimit else { return .invalid(status: 431) }
        let lines = bytes[..<headEnd].split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        let parts = lines.first?.split(separator: " ") ?? []
        guard parts.count == 3, parts[1].hasPrefix("/"), parts[2].hasPrefix("HTTP/1.") else {
            return .invalid(status: 400)
        }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return .invalid(status: 400) }
            headers.append((line[..<colon].lowercased(), trimmed(line[line.index(after: colon)...])))
        }
        var request = HTTPRequest(method: String(parts[0]), target: String(parts[1]), headers: headers)
        if request.header("transfer-encoding") != nil { return .invalid(status: 411) }
        let connection = request.header("connection")?.lowercased() ?? ""
        request.isKeptAlive = parts[2] == "HTTP/1.1" ? connection != "close" : connection == "keep-alive"

        let length = request.header("content-length").map { Int($0) } ?? 0
        guard let length, length >= 0 else { return .invalid(status: 400) }
        guard length <= bodyLimit else { return .invalid(status: 413) }
        guard bytes.count >= headEnd + length else { return .incomplete }
        request.body = Array(bytes[headEnd..<(headEnd + length)])
        return .request(request, length: headEnd + length)
    }

    /// The index after the empty line that ends the head.
    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        var lineLength = 0
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\n") {
                if lineLength == 0 && index > 1 { return index + 1 }
                lineLength = 0
            } else if byte != UInt8(ascii: "\r") {
                lineLength += 1
            }
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}

/// `application/x-www-form-urlencoded`.
package enum FormCoding {
    package static func pairs(of text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return (decode(name), decode(pair.dropFirst(name.count + 1)))
        }
    }

    package static func decode(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func encode(_ text: some StringProtocol) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }.joined()
    }
}
