// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// `&name;` and `&#number;` of HTML: all numbers, the names of Latin 1, and the ones that ordinary pages use besides.
enum CharacterReference {
    /// No name is longer; what has more characters is no reference.
    static let maximumLength = 10

    /// The text of a reference, without `&` and `;`; nil if there is none of that name.
    static func text(of name: some Collection<UInt8>) -> [UInt8]? {
        guard name.first == UInt8(ascii: "#") else {
            return scalars[String(decoding: name, as: UTF8.self)].map(UTF8Bytes)
        }
        let digits = name.dropFirst()
        let isHex = digits.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
        let text = String(decoding: isHex ? digits.dropFirst() : digits, as: UTF8.self)
        guard !text.isEmpty, !text.hasPrefix("+"), !text.hasPrefix("-"),
            let number = UInt32(text, radix: isHex ? 16 : 10)
        else { return nil }
        // A number that is no character stands for the replacement character (HTML, section 13.2.5.80).
        let scalar = number == 0 ? nil : Unicode.Scalar(number)
        if 0x80...0x9f ~= number { return TextCoding.windows1252.utf8([UInt8(number)]) }
        return UTF8Bytes(scalar ?? "\u{fffd}")
    }

    private static let scalars: [String: Unicode.Scalar] = {
        var result: [String: Unicode.Scalar] = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "ndash": "–", "mdash": "—", "lsquo": "‘",
            "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "lsaquo": "‹", "rsaquo": "›",
            "bull": "•", "hellip": "…", "euro": "€", "trade": "™", "larr": "←", "uarr": "↑", "rarr": "→", "darr": "↓",
            "minus": "−", "infin": "∞", "ne": "≠", "le": "≤", "ge": "≥", "asymp": "≈", "radic": "√", "sum": "∑",
            "dagger": "†", "Dagger": "‡", "permil": "‰", "prime": "′", "Prime": "″", "OElig": "Œ", "oelig": "œ",
            "Scaron": "Š", "scaron": "š", "Yuml": "Ÿ", "fnof": "ƒ", "ensp": "\u{2002}", "emsp": "\u{2003}",
            "thinsp": "\u{2009}", "zwnj": "\u{200c}", "zwj": "\u{200d}", "lrm": "\u{200e}", "rlm": "\u{200f}",
            "check": "✓", "star": "☆", "hearts": "♥",
        ]
        let latin = """
            nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
            micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring
            AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml
            times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil
            egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash
            ugrave uacute ucirc uuml yacute thorn yuml
            """
        for (index, name) in latin.split(whereSeparator: \.isWhitespace).enumerated() {
            result[String(name)] = Unicode.Scalar(UInt8(0xa0 + index))
        }
        return result
    }()
}
