// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Keeps values out that nest so deep that reading them could exhaust a thread's stack.
package enum JSONNesting {
    /// How many arrays and objects may stand in each other.
    package static let limit = 128

    /// Throws for text whose arrays and objects nest deeper than `limit`. Says nothing about anything else: text that
    /// is no JSON is left to the parser, which stops at the first wrong byte.
    package static func check(_ bytes: [UInt8]) throws(FrameError) {
        var depth = 0
        var isInString = false
        var isEscaped = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > limit {
                    throw FrameError(.malformed, "arrays and objects stand more than \(limit) deep in each other")
                }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
    }
}
