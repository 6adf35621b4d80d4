// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CPublicSuffix

/// The list that libpsl was built with.
package struct BuiltinPublicSuffixList: PublicSuffixList {
    package init() {}

    package func publicSuffix(of host: String) -> String? {
        // Both pointers: the list is static data of the library, and the suffix points into `host`.
        host.withCString { name in
            psl_unregistrable_domain(psl_builtin(), name).map { String(cString: $0) }
        }
    }
}

extension HostName {
    /// Lower case and Unicode's NFKC, where libpsl was built with an IDN library; lower case alone otherwise.
    static func normalized(_ text: String) -> String {
        var result: UnsafeMutablePointer<CChar>?
        guard psl_str_to_utf8lower(text, "UTF-8", nil, &result) == PSL_SUCCESS, let result else {
            return text.lowercased()
        }
        defer { psl_free_string(result) }
        return String(cString: result)
    }
}
