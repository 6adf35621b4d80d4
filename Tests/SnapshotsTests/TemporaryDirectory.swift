// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Foundation
import Testing
import Wire

/// A directory that is removed when the test is done with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/relight-snapshots.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { "\(path)/snapshots.sqlite" }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

    func mode(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]) as? Int
    }
}

/// Cookies that differ in everything that a cookie has.
enum Sample {
    static let cookies = [
        Cookie(name: "session", value: "s3cr3t", domain: "example.test", isHTTPOnly: true, sameSite: .lax),
        Cookie(name: "session", value: "other", domain: "example.test", isHostOnly: false, expires: 4_102_444_800),
        Cookie(name: "session", value: "deep", domain: "example.test", path: "/deep", isSecure: true, sameSite: .none),
        Cookie(
            name: "session", value: "part", domain: "example.test", isSecure: true, partitionKey: "https://top.test"),
        Cookie(name: "session", value: "odd", domain: "example.test", partitionKey: ""),
        Cookie(name: "", value: "", domain: "example.test", expires: 0, sameSite: .strict),
        Cookie(name: "utf8 \u{0}ü🍪", value: "a\u{0}b;\"'", domain: "[::1]", path: "/%20", expires: -1),
    ]

    static let page = PageState(
        url: "http://example.test/list", title: "List", sessionState: "AAAA",
        frames: [
            FrameState(
                url: "http://example.test/list", scrollX: 0.5, scrollY: 1234,
                fields: [FormField(selector: "#name", kind: .value, value: "Ada")], sessionStorage: ["k": "v"])
        ])

    static func incident(_ number: Int, view: String = "lobby") -> Control.Incident {
        let digits = String(number, radix: 16)
        return Control.Incident(
            id: String(repeating: "0", count: 32 - digits.count) + digits, view: view, pool: "main",
            cause: "hostExited", openedAt: UInt64(1_000_000 + number), timeline: [.init(step: "died", offset: 0)])
    }
}
