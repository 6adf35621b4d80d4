// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The title and the visible text of a page, in bounded memory; takes the page in pieces as they come.
package struct PageText {
    package enum Kind: Equatable, Sendable {
        case html, plain
        /// Not read.
        case other
    }

    /// Bytes of UTF-8.
    package static let titleLimit = 1 << 10
    package static let textLimit = 512 << 10
    /// In so many first bytes a page may say how it is encoded (HTML, section 13.2.3.2).
    private static let prescan = 1024

    /// Elements around which text is broken into lines.
    private static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "br", "button", "caption", "center", "dd", "details",
        "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3",
        "h4",
        "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option",
        "p", "pre", "search", "section", "select", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
    ]
    /// Elements whose content is not shown.
    private static let hidden: Set<String> = [
        "audio", "canvas", "datalist", "head", "iframe", "noembed", "noframes", "object", "rp", "script", "style",
        "svg",
        "template", "textarea", "title", "video",
    ]
    /// What may stand in a head; anything else ends it.
    private static let headElements: Set<String> = [
        "base", "basefont", "bgsound", "head", "html", "link", "meta", "noscript", "script", "style", "template",
        "title",
    ]
    /// Of `hidden`, the ones that may stand within themselves.
    private static let nestable: Set<String> = ["object", "template", "svg"]

    private var kind: Kind?
    private var coding: TextCoding?
    private var start: [UInt8] = []
    private var tokenizer = HTMLTokenizer()
    private var titleBytes: [UInt8] = []
    private var textBytes: [UInt8] = []
    /// The title is being read: the first one only, and none of pictures.
    private var isInTitle = false
    private var hasTitle = false
    private var hiding: [String] = []
    private var preformatted = 0
    private var wantsSpace = false
    private var isLineStart = true
    package private(set) var isTruncated = false

    /// - Parameter contentType: the response's field; without one the first bytes decide.
    package init(contentType: String?) {
        guard let contentType else { return }
        coding = TextCoding(contentType: contentType)
        let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        switch type {
        case "text/html", "application/xhtml+xml": kind = .html
        case let type
        where type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("/json") || type.hasSuffix("xml"):
            kind = .plain
        case "": break
        default: kind = .other
        }
    }

    /// False if there is nothing to read in this kind of page.
    package var isReadable: Bool { kind != .other }

    /// White space runs are one space, as browsers show them.
    package var title: String { String(decoding: titleBytes, as: UTF8.self).trimmingSpaces }

    package var text: String { String(decoding: textBytes, as: UTF8.self).trimmingSpaces }

    package mutating func feed(_ bytes: some Collection<UInt8>) {
        guard isReadable else { return }
        guard start.count < Self.prescan else { return read(bytes) }
        start += bytes
        if start.count >= Self.prescan { begin() }
    }

    package mutating func finish() {
        if start.count < Self.prescan { begin() }
        var tokenizer = tokenizer
        tokenizer.finish { take($0) }
    }

    /// The first bytes are there: decides how to read the page.
    private mutating func begin() {
        if kind == nil { kind = start.first { !$0.isHTMLSpace } == UInt8(ascii: "<") ? .html : .plain }
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let isMarked = start.starts(with: mark)
        // A byte order mark beats the response's field, which beats what the page says (HTML, section 13.2.3.2).
        if isMarked { coding = .utf8 }
        if coding == nil, kind == .html { coding = TextCoding(pageStart: Array(start.prefix(Self.prescan))) }
        read(start.dropFirst(isMarked ? mark.count : 0))
    }

    private mutating func read(_ bytes: some Collection<UInt8>) {
        let utf8 = (coding ?? .utf8).utf8(bytes)
        guard kind == .html else { return append(utf8) }
        // Moved out while it calls back, not copied.
        var tokenizer = HTMLTokenizer()
        swap(&tokenizer, &self.tokenizer)
        tokenizer.feed(utf8) { take($0) }
        self.tokenizer = tokenizer
    }

    private mutating func take(_ token: HTMLTokenizer.Token) {
        switch token {
        case .text(let bytes):
            if hiding == ["head"], bytes.contains(where: { !$0.isHTMLSpace }) { hiding = [] }
            if isInTitle {
                let room = Self.titleLimit - titleBytes.count
                collapse(bytes.prefix(max(0, room)), into: &titleBytes)
            } else if hiding.isEmpty {
                if preformatted > 0 { append(bytes) } else { appendCollapsed(bytes) }
            }
        case .open(let name): open(name)
        case .close(let name): close(name)
        }
    }

    private mutating func open(_ name: String) {
        if hiding == ["head"], !Self.headElements.contains(name) { hiding = [] }
        if name == "title", !hasTitle, !hiding.contains("svg") { isInTitle = true }
        if Self.hidden.contains(name), hiding.isEmpty || hiding.last == "head" || Self.nestable.contains(name) {
            if hiding.count < 64 { hiding.append(name) }
        }
        guard hiding.isEmpty else { return }
        if name == "pre" { preformatted += 1 }
        if name == "td" || name == "th" { cell() }
        if Self.blocks.contains(name) { breakLine(isParagraph: name == "p", always: name == "br") }
    }

    private mutating func close(_ name: String) {
        if name == "title", isInTitle {
            isInTitle = false
            hasTitle = true
        }
        if let index = hiding.lastIndex(of: name) {
            hiding.removeSubrange(index...)
            return
        }
        guard hiding.isEmpty else { return }
        if name == "pre" { preformatted = max(0, preformatted - 1) }
        if Self.blocks.contains(name) { breakLine(isParagraph: name == "p", always: false) }
    }

    // MARK: - Text

    private mutating func append(_ bytes: some BidirectionalCollection<UInt8>) {
        let room = Self.textLimit - textBytes.count
        if bytes.count > room { isTruncated = true }
        textBytes.append(contentsOf: bytes.prefix(max(0, room)))
        if let last = bytes.last { isLineStart = last == 0x0a }
    }

    private mutating func appendCollapsed(_ bytes: [UInt8]) {
        for byte in bytes {
            if byte.isHTMLSpace {
                wantsSpace = true
                continue
            }
            if wantsSpace, !isLineStart { append(CollectionOfOne(0x20)) }
            wantsSpace = false
            append(CollectionOfOne(byte))
        }
    }

    private func collapse(_ bytes: some Sequence<UInt8>, into target: inout [UInt8]) {
        for byte in bytes {
            if !byte.isHTMLSpace {
                target.append(byte)
            } else if let last = target.last, last != 0x20 {
                target.append(0x20)
            }
        }
    }

    private mutating func breakLine(isParagraph: Bool, always: Bool) {
        wantsSpace = false
        guard !textBytes.isEmpty else { return }
        if always || !isLineStart { append(CollectionOfOne(0x0a)) }
        if isParagraph, !textBytes.suffix(2).elementsEqual([0x0a, 0x0a]) { append(CollectionOfOne(0x0a)) }
        isLineStart = true
    }

    private mutating func cell() {
        wantsSpace = false
        if !isLineStart { append(CollectionOfOne(0x09)) }
        isLineStart = true
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        let isSpace = { (byte: UInt8) in byte.isHTMLSpace }
        guard let first = utf8.firstIndex(where: { !isSpace($0) }), let last = utf8.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[first...last])
    }
}
