// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Status and header fields of a response.
package struct ResponseHead: Equatable, Sendable {
    package var status: Int
    /// Names in lower case, values as they came, without white space around them.
    package var fields: [(name: String, value: [UInt8])]

    package init(status: Int, fields: [(name: String, value: [UInt8])] = []) {
        self.status = status
        self.fields = fields
    }

    /// The first field of that name, as text.
    package func text(_ name: String) -> String? {
        fields.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    package var setCookies: [[UInt8]] { fields.filter { $0.name == "set-cookie" }.map(\.value) }

    /// Where a redirect leads, if this is one.
    package var location: String? {
        switch status {
        case 301, 302, 303, 307, 308: text("location")
        default: nil
        }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}

/// Puts heads together from their lines; interim ones (1xx) are passed over.
package struct ResponseHeadReader {
    private var head = ResponseHead(status: 0)

    package init() {}

    /// The head, once its last line has come. Trailers, which come after it, are not part of it.
    package mutating func receive(line: some Collection<UInt8>) -> ResponseHead? {
        let line = Array(line).trimmed
        if line.starts(with: "HTTP/".utf8) {
            let status = line.split(separator: UInt8(ascii: " "), maxSplits: 2).dropFirst().first
            head = ResponseHead(status: status.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0)
            return nil
        }
        guard head.status != 0 else { return nil }
        if line.isEmpty {
            defer { head = ResponseHead(status: 0) }
            return head.status >= 200 ? head : nil
        }
        if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            head.fields.append((name, Array(line[(colon + 1)...]).trimmed))
        }
        return nil
    }
}

extension [UInt8] {
    fileprivate var trimmed: [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return []
        }
        return Array(self[first...last])
    }
}
