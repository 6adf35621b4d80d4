// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The candidate that `name` was probably meant to be, or nil if none is near.
///
/// Near means: at most a third of the letters (at least two) differ, letter case aside.
package func nearestName(to name: String, among candidates: [String]) -> String? {
    let wanted = Array(name.lowercased().utf8.prefix(64))
    var best: (name: String, distance: Int)?
    for candidate in candidates {
        let letters = Array(candidate.lowercased().utf8.prefix(64))
        let distance = editDistance(wanted, letters)
        guard distance <= max(2, letters.count / 3), distance < max(wanted.count, letters.count) else { continue }
        if let found = best, found.distance <= distance { continue }
        best = (candidate, distance)
    }
    return best?.name
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
        var current = [i + 1]
        for j in 0..<b.count {
            var least = min(last[j + 1] + 1, current[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, beforeLast[j - 1] + 1) }
            current.append(least)
        }
        beforeLast = last
        last = current
    }
    return last[b.count]
}
