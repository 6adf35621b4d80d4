// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// A size in pixels.
package struct Geometry: Equatable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var description: String { "\(width)x\(height)" }
}

/// One variable for a host's environment. Its value may be a secret: it is not shown in diagnostics.
package struct EnvironmentEntry: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension ValueType where Value == Geometry {
    static var geometry: Self {
        Self(name: "size", range: "WIDTHxHEIGHT, 16x16 to 16384x16384") { text throws(ValueProblem) in
            let parts = text.split(separator: "x", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let width = Quantity.wholeNumber(parts[0]),
                let height = Quantity.wholeNumber(parts[1])
            else { throw ValueProblem("is not a size") }
            let allowed = 16...16384
            guard allowed.contains(width), allowed.contains(height) else { throw ValueProblem("is out of range") }
            return Geometry(width: width, height: height)
        }
    }
}

extension ValueType where Value == PoolSettings.Renderer {
    static var renderer: Self {
        Self(name: "renderer", range: "webkit, builtin, an absolute path") { text throws(ValueProblem) in
            switch text {
            case "webkit": return .webkit
            case "builtin": return .builtin
            default:
                guard text.hasPrefix("/") else { throw ValueProblem("is not one of them") }
                return .executable(try parseAbsolutePath(text))
            }
        }
    }
}

extension ValueType where Value == PoolSettings.Display {
    static var display: Self {
        Self(name: "display", range: "session, headless, :N, wayland-N") { text throws(ValueProblem) in
            switch text {
            case "session": return .session
            case "headless": return .headless
            default: break
            }
            if text.hasPrefix(":") {
                let numbers = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                if (1...2).contains(numbers.count),
                    numbers.allSatisfy({ Quantity.wholeNumber($0).map { $0 < 65536 } == true })
                {
                    return .x11(text)
                }
            } else if text.hasPrefix("wayland-"), ConfigurationName.problem(with: text) == nil, text.count > 8 {
                return .wayland(text)
            }
            throw ValueProblem("is not one of them")
        }
    }
}

extension ValueType where Value == [EnvironmentEntry] {
    static var environment: Self {
        Self(name: "list of variables", range: "NAME=value, quoted if needed") { text throws(ValueProblem) in
            var entries: [EnvironmentEntry] = []
            for word in try splitWords(text) {
                guard let equals = word.firstIndex(of: "=") else {
                    throw ValueProblem("has a part without '='")
                }
                let name = String(word[..<equals])
                guard isVariableName(name) else {
                    throw ValueProblem("has the name '\(printable(name))', which no variable can have")
                }
                entries.append(EnvironmentEntry(name: name, value: String(word[word.index(after: equals)...])))
            }
            return entries
        }
    }
}

private func isVariableName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 255, !(0x30...0x39).contains(first) else { return false }
    return name.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "_": true
        default: false
        }
    }
}

/// Splits at white space outside quotes, as systemd does: `"` or `'` around any part, `\` before any character.
func splitWords(_ text: String) throws(ValueProblem) -> [String] {
    var words: [String] = []
    var word = ""
    var isOpen = false
    var quote: Unicode.Scalar?
    var escaped = false
    for scalar in text.unicodeScalars {
        if escaped {
            word.unicodeScalars.append(scalar)
            escaped = false
        } else if scalar == "\\" {
            (escaped, isOpen) = (true, true)
        } else if let open = quote {
            if scalar == open { quote = nil } else { word.unicodeScalars.append(scalar) }
        } else if scalar == "\"" || scalar == "'" {
            (quote, isOpen) = (scalar, true)
        } else if scalar == " " || scalar == "\t" {
            if isOpen { words.append(word) }
            (word, isOpen) = ("", false)
        } else {
            word.unicodeScalars.append(scalar)
            isOpen = true
        }
    }
    if quote != nil { throw ValueProblem("has a quote that is not closed") }
    if escaped { throw ValueProblem("ends in a backslash") }
    if isOpen { words.append(word) }
    return words
}
