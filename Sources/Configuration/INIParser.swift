// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// One `Key=Value` with the place where it stands.
struct Assignment: Equatable, Sendable {
    var section: String
    var key: String
    var value: String
    var line: Int
    var column: Int
}

struct SectionHeader: Equatable, Sendable {
    var name: String
    var line: Int
}

/// The syntax of systemd's unit files: sections, assignments, comments and continuation lines, nothing about meaning.
struct INIDocument: Equatable, Sendable {
    var sections: [SectionHeader] = []
    var assignments: [Assignment] = []
    var diagnostics: [Diagnostic] = []

    init(path: String, bytes: [UInt8]) {
        guard bytes.count <= ConfigurationFile.maximumSize else {
            diagnostics.append(
                Diagnostic(.error, path: path, message: "the file is larger than 1 MiB", remedy: "make it smaller"))
            return
        }
        var parser = Parser(path: path)
        parser.read(bytes)
        self = parser.document
    }

    private init() {}

    private struct Parser {
        let path: String
        var document = INIDocument()
        /// The header in force; nil before the first one and after a broken one.
        var section: String?
        var sawHeader = false
        /// A line that ended in a backslash, waiting for its rest.
        var pending: (text: [UInt8], line: Int, column: Int)?

        mutating func read(_ bytes: [UInt8]) {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
            var number = 0
            for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                number += 1
                guard accept(line, number) else { return }
            }
            // A backslash at the very end of the file continues with nothing.
            if let rest = pending { interpret(rest.text[...], rest.line, column: rest.column) }
        }

        /// False if the rest of the file is not worth reading.
        mutating func accept(_ raw: ArraySlice<UInt8>, _ number: Int) -> Bool {
            guard raw.count <= ConfigurationFile.maximumLineLength else {
                report(number, "the line is longer than 64 KiB", remedy: "break it with a backslash at the line's end")
                return true
            }
            guard !raw.contains(0) else {
                report(number, "the line contains a NUL byte", remedy: "is this a text file?")
                return false
            }
            guard String(validating: raw, as: UTF8.self) != nil else {
                report(number, "the line is not valid UTF-8", remedy: "save the file as UTF-8")
                return false
            }
            let line = trimmed(raw)
            if let first = line.first, first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { return true }
            let column = line.startIndex - raw.startIndex + 1
            let continues = line.last == UInt8(ascii: "\\")
            let text = continues ? line.dropLast() : line
            if var open = pending {
                open.text.append(contentsOf: text)
                pending = open
            } else if continues {
                pending = (Array(text), number, column)
            } else {
                interpret(line, number, column: column)
            }
            if let open = pending {
                guard open.text.count <= ConfigurationFile.maximumLineLength else {
                    pending = nil
                    report(open.line, "the line and its continuations are longer than 64 KiB", remedy: "shorten it")
                    return true
                }
                if continues {
                    pending?.text.append(UInt8(ascii: " "))
                } else {
                    pending = nil
                    interpret(open.text[...], open.line, column: open.column)
                }
            }
            return true
        }

        mutating func interpret(_ text: ArraySlice<UInt8>, _ number: Int, column: Int) {
            let line = trimmed(text)
            guard let first = line.first else { return }
            if first == UInt8(ascii: "[") {
                header(line, number)
            } else if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
                let key = string(trimmed(line[..<equals]))
                guard !key.isEmpty else {
                    report(number, "there is no key before '='", remedy: "write Key=Value")
                    return
                }
                guard let section else {
                    if !sawHeader {
                        sawHeader = true
                        report(
                            number, "'\(printable(key))=' stands before any section",
                            remedy: "put a section such as [View] above it")
                    }
                    return
                }
                let value = string(trimmed(line[line.index(after: equals)...]))
                document.assignments.append(
                    Assignment(section: section, key: key, value: value, line: number, column: column))
            } else {
                report(
                    number, "'\(printable(string(line)))' is neither a section, an assignment nor a comment",
                    remedy: "write Key=Value, or # in front of a comment")
            }
        }

        mutating func header(_ line: ArraySlice<UInt8>, _ number: Int) {
            sawHeader = true
            section = nil
            let name = string(line.dropFirst().dropLast())
            guard line.count > 2, line.last == UInt8(ascii: "]"), !name.contains("["), !name.contains("]") else {
                report(number, "'\(printable(string(line)))' is not a section", remedy: "write [Name]")
                return
            }
            section = name
            document.sections.append(SectionHeader(name: name, line: number))
        }

        mutating func report(_ line: Int, _ message: String, remedy: String) {
            document.diagnostics.append(Diagnostic(.error, path: path, line: line, message: message, remedy: remedy))
        }

        private func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    }
}

/// Without white space at both ends (a carriage return counts, for files from elsewhere).
func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }),
        let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return [] }
    return bytes[first...last]
}
