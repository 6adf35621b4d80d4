// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

// Swift's own string equality takes canonically equivalent texts for one: "é" as one scalar or as two. To a server
// these are different bytes, so they are different names and values here.

extension Cookie {
    package static func == (a: Cookie, b: Cookie) -> Bool {
        a.identity == b.identity && sameBytes(a.value, b.value) && a.expires == b.expires
            && a.isSecure == b.isSecure && a.isHTTPOnly == b.isHTTPOnly && a.sameSite == b.sameSite
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension Cookie.Identity {
    package static func == (a: Self, b: Self) -> Bool {
        sameBytes(a.name, b.name) && sameBytes(a.domain, b.domain) && a.isHostOnly == b.isHostOnly
            && sameBytes(a.path, b.path) && sameBytes(a.partitionKey, b.partitionKey)
    }

    package func hash(into hasher: inout Hasher) {
        // Hashing a string normalizes it: equal bytes still hash alike, and that is all a hash owes.
        hasher.combine(name)
        hasher.combine(domain)
        hasher.combine(path)
    }
}

func sameBytes(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

private func sameBytes(_ a: String?, _ b: String?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case (let a?, let b?): sameBytes(a, b)
    case (nil, _), (_, nil): false
    }
}
