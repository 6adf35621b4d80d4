// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials

/// JSON as both protocols write it: UTF-8, keys sorted, slashes plain.
package enum JSON {
    package static func encode(_ value: some Encodable, pretty: Bool = false) throws(FrameError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw FrameError(.malformed, "a value cannot be written as JSON: \(summary(of: error))")
        }
    }

    /// Nests at most `JSONNesting.limit` deep.
    package static func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws(FrameError) -> T {
        try JSONNesting.check(bytes)
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as FrameError {
            throw error
        } catch {
            if isAboutTheWhole(error), let field = fieldOfUnfitNumber(type, bytes) {
                throw FrameError(.malformed, "'\(field)' holds a number that does not fit", field: field)
            }
            throw FrameError(.malformed, summary(of: error), field: field(of: error))
        }
    }

    private static func isAboutTheWhole(_ error: any Error) -> Bool {
        if case DecodingError.dataCorrupted(let context) = error { context.codingPath.isEmpty } else { false }
    }

    /// The first field of an object that holds a number too large, or not whole, for its type. The decoder calls such
    /// text no JSON without saying where; it says something else once another value stands there.
    private static func fieldOfUnfitNumber<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) -> String? {
        guard case .object(let fields)? = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else {
            return nil
        }
        return fields.keys.sorted().first { name in
            guard let text = try? JSONEncoder().encode(JSONValue.object(fields.merging([name: .array([])]) { $1 }))
            else { return false }
            do {
                _ = try JSONDecoder().decode(type, from: text)
                return true
            } catch {
                return !isAboutTheWhole(error)
            }
        }
    }

    /// The outermost field that a decoding error is about.
    private static func field(of error: any Error) -> String? {
        switch error {
        case DecodingError.keyNotFound(let key, let context): (context.codingPath.first ?? key).stringValue
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            context.codingPath.first?.stringValue
        default: nil
        }
    }

    /// Names the place and the kind of a coding error, never the value, which may be a secret.
    private static func summary(of error: any Error) -> String {
        func path(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            let keys = context.codingPath + (last.map { [$0] } ?? [])
            return keys.isEmpty ? "the frame" : "'" + keys.map(\.stringValue).joined(separator: ".") + "'"
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context): return "\(path(context, key)) is missing"
        case DecodingError.typeMismatch(let type, let context): return "\(path(context)) is not of type \(type)"
        case DecodingError.valueNotFound(let type, let context): return "\(path(context)) is null, not \(type)"
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            return "the frame is not well-formed JSON"
        case DecodingError.dataCorrupted(let context): return "\(path(context)) holds no allowed value"
        case EncodingError.invalidValue(_, let context):
            return "'" + context.codingPath.map(\.stringValue).joined(separator: ".") + "' cannot be encoded"
        default: return "it cannot be decoded"
        }
    }
}
