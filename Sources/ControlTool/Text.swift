// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Text for a terminal: nothing in it can move the cursor, change colours, or turn the direction of writing.
enum Text {
    /// Control and invisible formatting characters of `text` as visible escapes; titles and URLs come from pages.
    static func safe(_ text: some StringProtocol) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return String(text) }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isUnsafe(scalar): result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// JSON with the characters escaped that JSON allows and terminals obey. They stand in strings only.
    static func safeJSON(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0 != "\n" && isUnsafe($0) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard scalar != "\n" && isUnsafe(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .lineSeparator, .paragraphSeparator: return true
        // Joiners make one picture of several, and write words of Persian and Hindi; all they can do is that.
        case .format: return scalar.value != 0x200C && scalar.value != 0x200D
        default: return false
        }
    }

    /// How many columns a terminal needs for `text`.
    static func width(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of character: Character) -> Int {
        if let ascii = character.asciiValue { return ascii < 0x20 ? 0 : 1 }
        var width = 0
        for scalar in character.unicodeScalars {
            // Asks for the coloured form of a character that also has a narrow plain one.
            if scalar.value == 0xFE0F { return 2 }
            width = max(width, self.width(of: scalar))
        }
        return width
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The blocks that Unicode's EastAsianWidth.txt marks as wide or full-width.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x1F1E6...0x1F1FF,
        0x20000...0x3FFFD,
    ]

    /// `text` cut to at most so many columns, with an ellipsis where something was cut.
    static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var result = ""
        var used = 1
        for character in text {
            used += width(of: character)
            if used > columns { break }
            result.append(character)
        }
        return columns > 0 ? result + "…" : ""
    }

    /// `text` with blanks after it, or before it, up to so many columns.
    static func pad(_ text: String, to columns: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(columns - width(text), 0))
        return right ? blanks + text : text + blanks
    }
}
