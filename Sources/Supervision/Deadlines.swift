// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Deadlines by key: at most one a key, the earliest found in constant time, of equal instants the one set first. A heap
/// with entries that are passed over once their key has another deadline or none.
struct Deadlines<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let at: Instant
        /// Makes the order total: what happens first must never hang on how a dictionary hashes.
        let order: UInt64
        let key: Key

        func isBefore(_ other: Self) -> Bool { (at, order) < (other.at, other.order) }
    }

    private var byKey: [Key: (at: Instant, order: UInt64)] = [:]
    private var heap: [Entry] = []
    private var lastOrder: UInt64 = 0

    var earliest: Instant? { heap.first?.at }
    /// How many keys have a deadline.
    var count: Int { byKey.count }
    /// How many entries memory is held for: the live ones, and those passed over later.
    var storedEntries: Int { heap.count }

    subscript(key: Key) -> Instant? { byKey[key]?.at }

    mutating func set(_ key: Key, at instant: Instant) {
        guard byKey[key]?.at != instant else { return }
        lastOrder += 1
        byKey[key] = (instant, lastOrder)
        heap.append(Entry(at: instant, order: lastOrder, key: key))
        siftUp(heap.count - 1)
        if heap.count > 64 && heap.count > byKey.count * 4 { rebuild() }
        dropStale()
    }

    mutating func cancel(_ key: Key) {
        if byKey.removeValue(forKey: key) != nil { dropStale() }
    }

    mutating func removeAll(where isUnwanted: (Key) -> Bool) {
        byKey = byKey.filter { !isUnwanted($0.key) }
        rebuild()
    }

    /// Removes and returns one key whose deadline has come.
    mutating func popDue(_ now: Instant) -> (key: Key, at: Instant)? {
        guard let first = heap.first, first.at <= now else { return nil }
        removeFirst()
        byKey[first.key] = nil
        dropStale()
        return (first.key, first.at)
    }

    /// Keeps the first entry a live one, so that `earliest` never wakes anybody for nothing.
    private mutating func dropStale() {
        while let first = heap.first, byKey[first.key]?.order != first.order { removeFirst() }
    }

    private mutating func rebuild() {
        heap = byKey.map { Entry(at: $0.value.at, order: $0.value.order, key: $0.key) }.sorted { $0.isBefore($1) }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2 where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }
}
