// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import BuiltinHost
import Testing
import Wire

@Suite struct BuiltinPartsTests {
    @Test(arguments: [
        ("http://a.test/x/y?q", "z", "http://a.test/x/z"), ("http://a.test/x/y", "/z", "http://a.test/z"),
        ("http://a.test/x", "//b.test/y", "http://b.test/y"), ("http://a.test/x", "https://b.test", "https://b.test/"),
        ("http://a.test/x", "?q=1", "http://a.test/x?q=1"), ("http://a.test/x#f", "/y", "http://a.test/y#f"),
        ("http://a.test/x#f", "/y#g", "http://a.test/y#g"), ("http://a.test/x", "../../y", "http://a.test/y"),
        ("http://a.test/x", "/a b", "http://a.test/a%20b"),
    ])
    func resolvesLocations(base: String, location: String, target: String) {
        #expect(WebAddress(base)?.redirected(to: location)?.text == target)
    }

    @Test func takesAddressesOfHTTPOnly() {
        #expect(WebAddress("https://a.test")?.text == "https://a.test/")
        for text in [
            "", "a.test/x", "ftp://a.test/", "file:///etc/passwd", "javascript:alert(1)", "http://",
        ] {
            #expect(WebAddress(text) == nil, "\(text)")
        }
        let page = WebAddress("http://a.test/")
        for location in ["file:///etc/passwd", "gopher://a.test/", "data:text/html,x", "http://"] {
            #expect(page?.redirected(to: location) == nil, "\(location)")
        }
    }

    @Test func readsHeadsLineByLine() {
        var reader = ResponseHeadReader()
        func feed(_ lines: String...) -> [ResponseHead] {
            lines.compactMap { reader.receive(line: Array($0.utf8) + [13, 10]) }
        }
        #expect(feed("HTTP/1.1 103 Early Hints", "Set-Cookie: early=1", "").isEmpty)
        let heads = feed(
            "HTTP/1.1 302 Found", "SET-COOKIE: a=1; Path=/", "Set-Cookie:b=2", "no colon", "Location:  /x  ", "")
        #expect(heads.count == 1)
        #expect(heads.first?.location == "/x")
        #expect(heads.first?.setCookies == [Array("a=1; Path=/".utf8), Array("b=2".utf8)])
        // Trailers of the body.
        #expect(feed("Set-Cookie: late=1", "").isEmpty)
        #expect(feed("HTTP/2 200", "").first?.status == 200)
        #expect(feed("HTTP/1.1 200 OK", "Location: /y", "").first?.location == nil)
        #expect(feed("HTTP/1.1 nonsense", "").isEmpty)
    }

    @Test func historyGoesBackAndForth() throws {
        var history = PageHistory()
        #expect(history.current == nil)
        for page in 1...3 { history.go(to: "http://a.test/\(page)") }
        let hasMoved = history.move(by: -1)
        #expect(hasMoved)
        #expect(history.current?.url == "http://a.test/2")
        history.amend(url: "http://a.test/two", title: "Two")
        let restored = PageHistory(restoring: history.state(url: "http://a.test/two", title: "Two"))
        #expect(restored == history)
        history.go(to: "http://a.test/4")
        #expect(history.entries.map(\.url) == ["http://a.test/1", "http://a.test/two", "http://a.test/4"])
        let moves = [1, -2, -1].map { history.move(by: $0) }
        #expect(moves == [false, true, false])
        for page in 0..<200 { history.go(to: "http://a.test/n\(page)") }
        #expect(history.entries.count == PageHistory.limit)
        #expect(history.current?.url == "http://a.test/n199")
    }

    @Test func anotherEnginesHistoryIsLeftAlone() {
        for session in ["AAAA", "no base64!", "", "eyJpbmRleCI6OTk5LCJlbnRyaWVzIjpbXX0="] {
            let history = PageHistory(restoring: PageState(url: "http://a.test/", title: "A", sessionState: session))
            #expect(history.entries.map(\.url) == ["http://a.test/"])
        }
    }
}
