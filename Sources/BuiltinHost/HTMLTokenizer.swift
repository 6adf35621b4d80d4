// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Cuts HTML into tags and text as it comes, byte by byte; takes anything, and keeps no more than one tag.
///
/// It follows the HTML standard as far as the text of a page depends on it. What the standard calls a parse error is
/// read the way browsers read it, or skipped.
struct HTMLTokenizer {
    enum Token: Equatable {
        /// A piece of text; character references are replaced.
        case text([UInt8])
        case open(String)
        case close(String)
    }

    private enum State {
        case text
        /// After `<`.
        case tagStart
        case tagName(isClosing: Bool)
        case attributes(isClosing: Bool)
        /// After an attribute's `=`.
        case value(isClosing: Bool)
        case unquoted(isClosing: Bool)
        case quoted(UInt8, isClosing: Bool)
        /// After `<!`; up to two hyphens.
        case declaration
        case bogusComment
        case comment
        /// After `&`.
        case reference
    }

    /// A tag whose name is longer counts as one of a name that nobody knows.
    private static let nameLimit = 32
    /// Elements in which nothing but their end tag is a tag (HTML, section 13.2.6.2).
    private static let rawElements: Set<String> = [
        "script", "style", "xmp", "iframe", "noembed", "noframes", "title", "textarea",
    ]
    private static let referencesInRaw: Set<String> = ["title", "textarea"]

    private var state = State.text
    private var name: [UInt8] = []
    private var reference: [UInt8] = []
    private var pending: [UInt8] = []
    private var hyphens = 0
    /// The element whose end tag is waited for.
    private var raw: String?

    /// Takes bytes in UTF-8 and hands out what they complete.
    mutating func feed(_ bytes: some Sequence<UInt8>, _ out: (Token) -> Void) {
        for byte in bytes { take(byte, out) }
        flush(out)
    }

    /// What an unfinished end of a page leaves.
    mutating func finish(_ out: (Token) -> Void) {
        switch state {
        case .reference: endReference()
        case .tagStart: pending.append(UInt8(ascii: "<"))
        default: break
        }
        state = .text
        flush(out)
    }

    private mutating func flush(_ out: (Token) -> Void) {
        guard !pending.isEmpty else { return }
        out(.text(pending))
        pending.removeAll(keepingCapacity: true)
    }

    private mutating func take(_ byte: UInt8, _ out: (Token) -> Void) {
        switch state {
        case .text: takeText(byte)
        case .tagStart: takeTagStart(byte)
        case .tagName(let isClosing): takeTagName(byte, isClosing: isClosing, out)
        case .attributes(let isClosing):
            if byte == UInt8(ascii: ">") { endTag(isClosing: isClosing, out) }
            if byte == UInt8(ascii: "=") { state = .value(isClosing: isClosing) }
        case .value(let isClosing):
            switch byte {
            case UInt8(ascii: ">"): endTag(isClosing: isClosing, out)
            case UInt8(ascii: "\""), UInt8(ascii: "'"): state = .quoted(byte, isClosing: isClosing)
            case let byte where byte.isHTMLSpace: break
            default: state = .unquoted(isClosing: isClosing)
            }
        case .unquoted(let isClosing):
            if byte == UInt8(ascii: ">") {
                endTag(isClosing: isClosing, out)
            } else if byte.isHTMLSpace {
                state = .attributes(isClosing: isClosing)
            }
        case .quoted(let quote, let isClosing):
            if byte == quote { state = .attributes(isClosing: isClosing) }
        case .declaration:
            if byte == UInt8(ascii: "-") {
                hyphens += 1
                if hyphens == 2 {
                    // `<!-->` is a whole comment.
                    state = .comment
                }
            } else {
                state = byte == UInt8(ascii: ">") ? .text : .bogusComment
            }
        case .bogusComment:
            if byte == UInt8(ascii: ">") { state = .text }
        case .comment:
            if byte == UInt8(ascii: ">"), hyphens >= 2 { state = .text }
            // `--!>` ends a comment, too.
            if byte != UInt8(ascii: "!") || hyphens < 2 { hyphens = byte == UInt8(ascii: "-") ? hyphens + 1 : 0 }
        case .reference: takeReference(byte)
        }
    }

    private mutating func takeText(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "<"): state = .tagStart
        case UInt8(ascii: "&") where raw.map(Self.referencesInRaw.contains) ?? true:
            reference.removeAll(keepingCapacity: true)
            state = .reference
        default: pending.append(byte)
        }
    }

    private mutating func takeTagStart(_ byte: UInt8) {
        name.removeAll(keepingCapacity: true)
        hyphens = 0
        switch byte {
        case UInt8(ascii: "/"): state = .tagName(isClosing: true)
        case UInt8(ascii: "!") where raw == nil: state = .declaration
        case UInt8(ascii: "?") where raw == nil: state = .bogusComment
        case let byte where byte.isASCIILetter && raw == nil:
            name.append(byte | 0x20)
            state = .tagName(isClosing: false)
        default:
            pending.append(UInt8(ascii: "<"))
            state = .text
            takeText(byte)
        }
    }

    private mutating func takeTagName(_ byte: UInt8, isClosing: Bool, _ out: (Token) -> Void) {
        let ends = byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte.isHTMLSpace
        if name.isEmpty, !byte.isASCIILetter {
            // `</` without a name.
            if raw != nil {
                pending += Array("</".utf8)
                state = .text
                takeText(byte)
            } else {
                state = ends && byte == UInt8(ascii: ">") ? .text : .bogusComment
            }
        } else if let raw, ends ? !name.elementsEqual(raw.utf8) : name.count > raw.utf8.count {
            // Not the end tag that counts here.
            pending += Array("</".utf8) + name
            state = .text
            takeText(byte)
        } else if byte == UInt8(ascii: ">") {
            endTag(isClosing: isClosing, out)
        } else if ends {
            state = .attributes(isClosing: isClosing)
        } else if name.count <= Self.nameLimit {
            name.append(byte.isASCIILetter ? byte | 0x20 : byte)
        }
    }

    private mutating func endTag(isClosing: Bool, _ out: (Token) -> Void) {
        flush(out)
        let name = String(decoding: name, as: UTF8.self)
        state = .text
        if isClosing {
            raw = nil
        } else if Self.rawElements.contains(name) {
            raw = name
        }
        out(isClosing ? .close(name) : .open(name))
    }

    private mutating func takeReference(_ byte: UInt8) {
        let isPart = byte.isASCIILetter || byte.isASCIIDigit || (byte == UInt8(ascii: "#") && reference.isEmpty)
        if isPart, reference.count < CharacterReference.maximumLength {
            reference.append(byte)
            return
        }
        state = .text
        if !endReference() || byte != UInt8(ascii: ";") { takeText(byte) }
    }

    /// True if it was one; else it stays as it is written.
    @discardableResult
    private mutating func endReference() -> Bool {
        if let text = CharacterReference.text(of: reference) {
            pending += text
            return true
        }
        pending.append(UInt8(ascii: "&"))
        pending += reference
        return false
    }
}

extension UInt8 {
    var isASCIILetter: Bool { 0x41...0x5a ~= self || 0x61...0x7a ~= self }
    var isASCIIDigit: Bool { 0x30...0x39 ~= self }
    /// White space as HTML counts it.
    var isHTMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0a || self == 0x0c || self == 0x0d }
}
