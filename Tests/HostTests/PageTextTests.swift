// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import BuiltinHost
import Testing

@Suite struct PageTextTests {
    private func read(_ page: String, type: String? = "text/html", chunk: Int = .max) -> PageText {
        read(Array(page.utf8), type: type, chunk: chunk)
    }

    private func read(_ bytes: [UInt8], type: String? = "text/html", chunk: Int = .max) -> PageText {
        var page = PageText(contentType: type)
        var rest = bytes[...]
        while !rest.isEmpty {
            page.feed(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
        }
        page.finish()
        return page
    }

    @Test(arguments: [
        ("<title>A</title>hello", "A", "hello"),
        ("<!doctype html><html><head><title> A \n b </title></head><body>x</body></html>", "A b", "x"),
        ("<TITLE>Up</TITLE><BODY>x</BODY>", "Up", "x"),
        ("<title>one</title><title>two</title>x", "one", "x"),
        ("<svg><title>picture</title></svg><title>page</title>x", "page", "x"),
        ("<title>a &amp; b &lt;i&gt; <b>x</title>t", "a & b <i> <b>x", "t"),
        ("<p>a</p><p>b</p>", "", "a\n\nb"),
        ("a<br>b<br/>c<br><br>d", "", "a\nb\nc\n\nd"),
        ("<div>a</div>b<div>c", "", "a\nb\nc"),
        ("<ul><li>a<li>b</ul>c", "", "a\nb\nc"),
        ("  a   b\n\t c  ", "", "a b c"),
        ("a <b> b</b>c <i>d</i>", "", "a bc d"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "", "a\tb\nc"),
        ("<pre>a  b\n c</pre>d", "", "a  b\n c\nd"),
        ("<script>if (a < b) document.write('</p>')</script>x", "", "x"),
        ("<script>'</scr' + 'ipt>' </script x>y", "", "y"),
        ("<style>p { color: red }</style>x<noscript>n</noscript>", "", "xn"),
        ("<textarea>typed &amp;</textarea>x<template><p>t</p></template>y", "", "xy"),
        ("a<!-- b --><!-->c<!--->d<!-- --!>e<!-- > -- >f-->g", "", "acdeg"),
        ("a<!doctype x><?php echo 1 ?><![CDATA[x]]>b", "", "ab"),
        (
            "1 < 2 & 3 > 2 &copy; &eacute; &#233; &#xe9; &#x1F36A; &nosuch; &amp", "",
            "1 < 2 & 3 > 2 © é é é 🍪 &nosuch; &"
        ),
        ("&#0;&#xd800;&#x110000;&#128;&#;&#x;", "", "\u{fffd}\u{fffd}\u{fffd}€&#;&#x;"),
        ("<a title='it > b' href=a'b\"c>x</a><a title=\">\">y", "", "xy"),
        ("<a b='unended", "", ""), ("a<", "", "a<"), ("a</", "", "a"), ("a</>b</ >c", "", "abc"),
        ("a<1>b", "", "a<1>b"),
        ("<head><meta charset=utf-8>x", "", "x"), ("<head><title>t</title><p>x", "t", "x"),
        ("<title>never ended", "never ended", ""), ("", "", ""), ("<html>", "", ""), ("</p></div></td>x", "", "x"),
    ])
    func readsWhatBrowsersShow(page: String, title: String, text: String) {
        let whole = read(page)
        #expect(whole.title == title)
        #expect(whole.text == text)
        for chunk in [1, 2, 7] {
            let pieces = read(page, chunk: chunk)
            #expect(pieces.title == title && pieces.text == text, "in pieces of \(chunk)")
        }
    }

    @Test func readsBothEncodings() {
        let latin: [UInt8] = Array("<title>caf".utf8) + [0xe9, 0x20, 0x80] + Array("</title>".utf8)
        #expect(read(latin, type: "text/html; charset=ISO-8859-1").title == "café €")
        #expect(read(latin, type: "text/html; charset=\"windows-1252\"").title == "café €")
        #expect(read(latin).title == "caf\u{fffd} \u{fffd}")
        let meta = Array("<meta http-equiv=Content-Type content='text/html; charset=latin1'>".utf8)
        #expect(read(meta + latin).title == "café €")
        #expect(read(Array("<META CHARSET=\"ISO-8859-1\">".utf8) + latin, chunk: 3).title == "café €")
        // The response's field and a byte order mark count for more.
        #expect(read(meta + Array("<title>é</title>".utf8), type: "text/html; charset=utf-8").title == "é")
        #expect(read([0xef, 0xbb, 0xbf] + meta + Array("<title>é</title>".utf8)).title == "é")
        // In the first 1,024 bytes only.
        let late = Array(String(repeating: " ", count: 1_100).utf8) + meta + latin
        #expect(read(late).title == "caf\u{fffd} \u{fffd}")
    }

    @Test func readsPlainTextAsItIs() {
        #expect(read("a <b>\n  c &amp;", type: "text/plain").text == "a <b>\n  c &amp;")
        #expect(read("{\"a\": 1}", type: "application/json").text == "{\"a\": 1}")
        #expect(read("  <p>x", type: nil).text == "x")
        #expect(read("just <text", type: nil).text == "just <text")
        let picture = read("<p>x", type: "image/png")
        #expect(!picture.isReadable && picture.text.isEmpty)
    }

    @Test func keepsABoundedPartOnly() {
        let page = read(
            "<title>" + String(repeating: "t", count: 100_000) + "</title>" + String(repeating: "x y ", count: 140_000))
        #expect(page.title.utf8.count == PageText.titleLimit)
        #expect(page.text.utf8.count <= PageText.textLimit)
        #expect(page.isTruncated)
        // Names, attributes and references that never end.
        for start in ["<", "</", "<a b=\"", "<!--", "&", "<script>", "<a b=", "<!"] {
            _ = read(start + String(repeating: "a", count: 200_000))
        }
        #expect(read(String(repeating: "<template>", count: 10_000) + "x").text.isEmpty)
    }

    @Test func takesAnyBytesInAnyPieces() {
        var generator = SystemRandomNumberGenerator()
        let parts = [
            "<", ">", "/", "!", "--", "&", ";", "#", "x", "'", "\"", "=", " ", "\n", "title", "script", "pre", "td",
            "a",
            "<title>", "</title>", "<script>", "</script>", "<!--", "-->", "é", "\u{0}", "<head>", "<template>",
        ]
        for _ in 0..<500 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<60, using: &generator) {
                bytes += Array((parts.randomElement(using: &generator) ?? "").utf8)
                if Int.random(in: 0..<10, using: &generator) == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &generator))
                }
            }
            let whole = read(bytes)
            let pieces = read(bytes, chunk: Int.random(in: 1...5, using: &generator))
            #expect(whole.title == pieces.title && whole.text == pieces.text, "\(bytes)")
        }
    }
}
