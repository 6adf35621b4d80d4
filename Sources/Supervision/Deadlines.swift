// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Deadlines by key: at most one a key, the earliest found in constant time. A heap with entries that are passed over
/// once their key has another deadline or none.
struct Deadlines<Key: Hashable & Sendable>: Sendable {
    private var byKey: [Key: Instant] = [:]
    private var heap: [(at: Instant, key: Key)] = []

    var earliest: Instant? { heap.first?.at }

    subscript(key: Key) -> Instant? { byKey[key] }

    mutating func set(_ key: Key, at instant: Instant) {
        guard byKey[key] != instant else { return }
        byKey[key] = instant
        heap.append((instant, key))
        siftUp(heap.count - 1)
        if heap.count > 64 && heap.count > byKey.count * 4 { rebuild() }
        dropStale()
    }

    mutating func cancel(_ key: Key) {
        if byKey.removeValue(forKey: key) != nil { dropStale() }
    }

    /// Removes and returns one key whose deadline has come.
    mutating func popDue(_ now: Instant) -> (key: Key, at: Instant)? {
        dropStale()
        guard let first = heap.first, first.at <= now else { return nil }
        removeFirst()
        byKey[first.key] = nil
        dropStale()
        return (first.key, first.at)
    }

    /// Keeps the first entry a live one, so that `earliest` never wakes anybody for nothing.
    private mutating func dropStale() {
        while let first = heap.first, byKey[first.key] != first.at { removeFirst() }
    }

    private mutating func rebuild() {
        heap = byKey.map { ($0.value, $0.key) }.sorted { $0.0 < $1.0 }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].at < heap[least].at {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0, heap[child].at < heap[(child - 1) / 2].at {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }
}
