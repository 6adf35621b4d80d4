// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import Glibc
import Platform

/// Which content process is behind which slot. WebKit names none, so a slot gets the youngest process that no slot has
/// yet: right as long as slots are made one at a time.
struct ContentProcesses {
    private static let contentName = "WebKitWebProces"
    private static let networkName = "WebKitNetworkPr"
    private var assigned: [Int: Int32] = [:]
    private(set) var helpers: [Int32] = []

    subscript(slot: Int) -> Int32? { assigned[slot] }

    mutating func forget(_ slot: Int) { assigned[slot] = nil }

    /// Reads the process tree. `slot`, if given, may just have got a new process: a warm one, or one that went to
    /// another site.
    mutating func refresh(for slot: Int? = nil) {
        let tree = ProcessTable.descendants(of: getpid()).filter { !$0.isDead }
        let content = tree.filter { $0.name == Self.contentName }.map(\.pid)
        let starts = Dictionary(tree.map { ($0.pid, $0.startTime) }, uniquingKeysWith: { $1 })
        func start(_ pid: Int32) -> UInt64 { starts[pid] ?? 0 }
        assigned = assigned.filter { content.contains($0.value) }
        let taken = Set(assigned.values)
        let free = content.filter { !taken.contains($0) }
        if let slot, let youngest = free.max(by: { start($0) < start($1) }) {
            if assigned[slot].map({ start($0) < start(youngest) }) ?? true { assigned[slot] = youngest }
        }
        let known = Set(assigned.values)
        helpers = tree.filter { !known.contains($0.pid) && $0.name != Self.networkName }.map(\.pid).sorted()
    }
}
#endif
