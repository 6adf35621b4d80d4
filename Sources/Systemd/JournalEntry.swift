// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Syslog severities.
package enum JournalPriority: Int, Sendable, Comparable, CaseIterable {
    case emergency, alert, critical, error, warning, notice, info, debug

    /// Whether the left is more severe.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One fact for the journal.
package struct JournalEntry: Sendable {
    /// One sentence that a person can read.
    package var message: String
    package var priority: JournalPriority
    package var messageID: MessageID?
    /// Further fields, in order. A name may repeat. Values may hold anything, line ends included.
    package var fields: [(name: String, value: String)]

    package init(
        _ message: String, priority: JournalPriority = .info, id messageID: MessageID? = nil,
        fields: [(name: String, value: String)] = []
    ) {
        self.message = message
        self.priority = priority
        self.messageID = messageID
        self.fields = fields
    }

    /// The first value of a field.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Whether a program may set a field of this name: capital letters, digits and underscores, neither a digit nor an
    /// underscore first, at most 64 bytes.
    package static func isValidFieldName(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, bytes.count <= 64 else { return false }
        let isLetter = { (byte: UInt8) in byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
        return isLetter(first)
            && bytes.allSatisfy { byte in
                isLetter(byte) || byte == UInt8(ascii: "_") || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
            }
    }

    /// The entry as one line, for where there is no journal: `<6>message  NAME=value NAME="two words"`.
    package var line: String {
        var line = "<\(priority.rawValue)>\(Self.escape(message))"
        var separator = "  "
        for field in fields where Self.isValidFieldName(field.name) {
            line += "\(separator)\(field.name)=\(Self.quote(field.value))"
            separator = " "
        }
        if let messageID { line += "\(separator)MESSAGE_ID=\(messageID.rawValue)" }
        return line
    }

    private static func escape(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value):
                // Control characters could take over the terminal that shows the line.
                result += "\\x" + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func quote(_ value: String) -> String {
        let escaped = escape(value)
        guard escaped.isEmpty || escaped.utf8.contains(where: { $0 == 0x20 || $0 == 0x22 || $0 == 0x5c }) else {
            return escaped
        }
        var quoted = "\""
        for character in escaped.unicodeScalars {
            if character == "\"" { quoted += "\\" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }
}
