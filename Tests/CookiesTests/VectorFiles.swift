// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Foundation

@testable import Cookies

/// A file of Vectors/, as its README describes it.
struct VectorFile<Case: Decodable>: Decodable {
    var now: String?
    var count: Int
    var cases: [Case]

    static func load(_ name: String) throws -> Self {
        try JSONDecoder().decode(Self.self, from: try Vectors.data(name))
    }

    /// The file's clock.
    var start: WallTime { WallTime(seconds: now.flatMap(Vectors.seconds) ?? 0) }
}

enum Vectors {
    static func data(_ name: String) throws -> Data {
        guard let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try Data(contentsOf: url)
    }

    /// ISO 8601 to seconds since 1970.
    static func seconds(_ text: String) -> Int64? {
        ISO8601DateFormatter().date(from: text).map { Int64($0.timeIntervalSince1970) }
    }

    static let suffixes: any PublicSuffixList = {
        struct Rules: Decodable { var rules: [String] }
        guard let data = try? data("psl-rules-excerpt"), let file = try? JSONDecoder().decode(Rules.self, from: data)
        else { return PublicSuffixRules([]) }
        return PublicSuffixRules(file.rules)
    }()
}

/// A field value: text, or `{"hex": …}`.
struct FieldValue: Decodable, Equatable {
    var bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            bytes = Array(text.utf8)
            return
        }
        // "upstream" of a jar step is a list, which nothing here needs.
        let hex = Array((try? container.decode([String: String].self))?["hex"]?.utf8 ?? "".utf8)
        bytes = stride(from: 0, to: hex.count - 1, by: 2).map { index in
            UInt8(String(decoding: hex[index...(index + 1)], as: UTF8.self), radix: 16) ?? 0
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// `cookie-jar-case/1`
struct JarCase: Decodable {
    struct Step: Decodable {
        var op: String
        var url: String?
        var set_cookie: [FieldValue]?
        var via: String?
        var cookie: FieldValue?
        var upstream: FieldValue?
        var pairs: [String]?
        var method: String?
        var at: Double?
        var same_site: Bool?
        var top_level: Bool?
        var top_site: String?
    }

    var id: String
    var kind: String
    var steps: [Step]
    var prefer: String?
}
