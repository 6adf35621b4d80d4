// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Foundation
import Testing

@testable import Cookies

@Suite struct NetscapeTests {
    private struct LineCase: Decodable {
        struct Fields: Decodable {
            var domain: String
            var host_only: Bool
            var path: String
            var secure: Bool
            var expires: Int64?
            var name: String
            var value: String
            var http_only: Bool
        }

        var id: String
        var line: FieldValue
        var cookie: Fields?
    }

    @Test func everyLineIsRead() throws {
        let file = try VectorFile<LineCase>.load("netscape")
        #expect(file.cases.count == 19)
        for vector in file.cases {
            let expected = vector.cookie.map { fields in
                Cookie(
                    name: fields.name, value: fields.value, domain: fields.domain, isHostOnly: fields.host_only,
                    path: fields.path, expires: fields.expires, isSecure: fields.secure, isHTTPOnly: fields.http_only)
            }
            #expect(NetscapeFormat.cookie(line: vector.line.bytes) == expected, "\(vector.id)")
            guard let expected, let line = NetscapeFormat.line(for: expected) else { continue }
            #expect(NetscapeFormat.cookie(line: line) == expected, "\(vector.id) written and read again")
        }
    }

    @Test func aFileComesBackAsItWas() {
        let cookies = [
            Cookie(name: "a", value: "1", domain: "a.test"),
            Cookie(
                name: "b", value: "two words", domain: "b.test", isHostOnly: false, path: "/x", expires: 2_000_000_000,
                isSecure: true, isHTTPOnly: true),
            Cookie(name: "", value: "nameless", domain: "a.test"),
            Cookie(name: "bytes", value: ByteText.string([0xFF, 0xC3, 0xA9]), domain: "a.test"),
        ]
        let (bytes, leftOut) = NetscapeFormat.file(of: cookies)
        #expect(leftOut.isEmpty)
        let contents = NetscapeFormat.parse(bytes)
        #expect(contents.cookies == cookies)
        #expect(contents.unreadableLines.isEmpty)
    }

    @Test func whatHasNoPlaceIsNamed() {
        let partitioned = Cookie(name: "p", value: "1", domain: "a.test", partitionKey: "https://b.test")
        let tab = Cookie(name: "t", value: "a\tb", domain: "a.test")
        #expect(NetscapeFormat.file(of: [partitioned, tab]).leftOut == [partitioned.identity, tab.identity])
    }

    @Test func sameSiteIsLibsoupsEighthField() throws {
        let cookie = Cookie(name: "a", value: "1", domain: "a.test", isSecure: true, sameSite: .none)
        let line = try #require(NetscapeFormat.line(for: cookie, withSameSite: true))
        #expect(String(decoding: line, as: UTF8.self) == "a.test\tFALSE\t/\tTRUE\t0\ta\t1\tNone")
        #expect(NetscapeFormat.cookie(line: line) == cookie)
    }

    @Test func unreadableLinesAreCounted() {
        let text =
            "# comment\n\na.test\tTRUE\t/\tFALSE\t0\ta\t1\r\nwhat\n__Host\na.test\tTRUE\t/\tFALSE\t0\t__Secure-a\t1\n"
        let contents = NetscapeFormat.parse(Array(text.utf8))
        #expect(contents.cookies == [Cookie(name: "a", value: "1", domain: "a.test", isHostOnly: false)])
        #expect(contents.unreadableLines == [4, 5, 6])
    }
}
