// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Names of views and pools: 1 to 64 of `A-Z a-z 0-9 . _ -`, not starting with a dot.
package enum ConfigurationName {
    /// What makes `name` unusable, as the end of a sentence that starts with it; nil if it is fine.
    package static func problem(with name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.count > 64 { return "is longer than 64 characters" }
        if name.utf8.first == UInt8(ascii: ".") { return "starts with a dot" }
        for scalar in name.unicodeScalars where !isAllowed(scalar) {
            return "contains '\(printable(String(scalar)))'"
        }
        return nil
    }

    /// What a name may be, for remedies.
    package static let rule = "use 1 to 64 of A-Z a-z 0-9 . _ - and no dot in front"

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", ".", "_", "-": true
        default: false
        }
    }
}
