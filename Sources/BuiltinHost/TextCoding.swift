// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The encodings that the built-in host reads; every other one is taken for UTF-8, whose broken parts are replaced.
package enum TextCoding: Equatable, Sendable {
    case utf8
    /// What browsers make of ISO 8859-1.
    case windows1252

    /// By a label such as `iso-8859-1` (WHATWG Encoding Standard, section 4.2); nil for none that is known here.
    package init?(label: some StringProtocol) {
        let label = label.lowercased().filter { !" \t\n\r\"'".contains($0) }
        switch label {
        case "utf-8", "utf8", "unicode-1-1-utf-8": self = .utf8
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252", "us-ascii",
            "ascii":
            self = .windows1252
        default: return nil
        }
    }

    /// From a Content-Type's `charset`.
    package init?(contentType: String) {
        guard let start = contentType.range(ofASCII: "charset=") else { return nil }
        self.init(label: contentType[start...].prefix { $0 != ";" })
    }

    /// From a `<meta>` with a charset among the first bytes of a page.
    package init?(pageStart: [UInt8]) {
        let text = String(decoding: pageStart, as: UTF8.self)
        var rest = text[...]
        while let meta = rest.range(ofASCII: "<meta") {
            rest = rest[meta...]
            let tag = rest.prefix { $0 != ">" }
            if let start = tag.range(ofASCII: "charset=") {
                let value = tag[start...].drop { "\"' ".contains($0) }.prefix { !"\"' ;/".contains($0) }
                if let coding = TextCoding(label: value) {
                    self = coding
                    return
                }
            }
        }
        return nil
    }

    /// What stands for each byte from 0x80 to 0x9f; the others are as in Unicode.
    private static let upper: [UInt16] = [
        0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,
        0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
        0x0153, 0x9d, 0x017e, 0x0178,
    ]

    /// The same text in UTF-8.
    func utf8(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        switch self {
        case .utf8: return Array(bytes)
        case .windows1252:
            var result: [UInt8] = []
            result.reserveCapacity(bytes.underestimatedCount)
            for byte in bytes {
                if byte < 0x80 {
                    result.append(byte)
                } else {
                    let code = byte < 0xa0 ? Self.upper[Int(byte) - 0x80] : UInt16(byte)
                    if let scalar = Unicode.Scalar(code) { result.append(contentsOf: UTF8Bytes(scalar)) }
                }
            }
            return result
        }
    }
}

/// The UTF-8 of one scalar.
func UTF8Bytes(_ scalar: Unicode.Scalar) -> [UInt8] { Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) }

extension StringProtocol {
    /// Where the text goes on after the first `needle`, which is ASCII in lower case; the case of letters is ignored.
    fileprivate func range(ofASCII needle: StaticString) -> Index? {
        let needle = needle.withUTF8Buffer { Array($0) }
        var start = utf8.startIndex
        while start < utf8.endIndex {
            let match = utf8[start...].prefix(needle.count)
            if match.elementsEqual(needle, by: { $0 | (isLetter($0) ? 0x20 : 0) == $1 }) { return match.endIndex }
            start = utf8.index(after: start)
        }
        return nil
    }
}

private func isLetter(_ byte: UInt8) -> Bool { 0x41...0x5a ~= byte || 0x61...0x7a ~= byte }
