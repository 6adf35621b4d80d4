// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Any bytes as a `String`, and back without loss.
///
/// Servers may put any byte above 0x7F into a cookie, while `Cookie` holds text, as JSON and the renderers do. UTF-8
/// stays as it is. A byte that is not part of valid UTF-8 becomes the private-use scalar U+EF00 plus the byte, and so do
/// the bytes of these scalars themselves (U+EF80 to U+EFFF), which makes the way back unambiguous.
package enum ByteText {
    package static func string(_ bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isEscape) {
            return text
        }
        var text = ""
        var index = 0
        while index < bytes.count {
            let length = sequenceLength(bytes[index])
            let end = min(index + length, bytes.count)
            let whole = String(validating: bytes[index..<end], as: UTF8.self)
            if let scalar = whole?.unicodeScalars.first, !isEscape(scalar) {
                text.unicodeScalars.append(scalar)
                index = end
            } else {
                // Only bytes from 0x80 up get here; the sum is always a scalar of the private-use area.
                if let escape = Unicode.Scalar(0xEF00 + UInt32(bytes[index])) { text.unicodeScalars.append(escape) }
                index += 1
            }
        }
        return text
    }

    package static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if isEscape(scalar) {
                bytes.append(UInt8(scalar.value - 0xEF00))
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar)?.lazy.map { $0 } ?? [])
            }
        }
        return bytes
    }

    private static func isEscape(_ scalar: Unicode.Scalar) -> Bool { (0xEF80...0xEFFF).contains(scalar.value) }

    private static func sequenceLength(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}

extension Cookie {
    /// What goes on the wire.
    package var nameBytes: [UInt8] { ByteText.bytes(name) }
    /// What goes on the wire.
    package var valueBytes: [UInt8] { ByteText.bytes(value) }
}
