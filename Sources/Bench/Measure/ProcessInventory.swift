// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
import Glibc

/// What /proc tells of processes (proc(5)); nothing here needs their help.
package enum ProcessInventory {
    package struct Entry: Sendable, Equatable {
        package var pid: Int32
        package var parent: Int32
        /// R, S, D, Z and so on.
        package var state: Character
        package var name: String
    }

    package static func all() -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.compactMap { entry(of: $0) }
    }

    package static func entry(of pid: Int32) -> Entry? {
        // The name is in parentheses and may hold anything, parentheses included.
        guard let text = text("/proc/\(pid)/stat"), let open = text.firstIndex(of: "("),
            let close = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: close)...].split(separator: " ")
        guard fields.count > 1, let state = fields[0].first, let parent = Int32(fields[1]) else { return nil }
        return Entry(pid: pid, parent: parent, state: state, name: String(text[text.index(after: open)..<close]))
    }

    /// A process's children, their children, and so on.
    package static func descendants(of pid: Int32, in all: [Entry] = all()) -> [Entry] {
        let children = Dictionary(grouping: all, by: \.parent)
        var found: [Entry] = []
        var waiting = children[pid] ?? []
        while let next = waiting.popLast() {
            found.append(next)
            waiting.append(contentsOf: children[next.pid] ?? [])
        }
        return found
    }

    package static func zombies(below pid: Int32) -> Int { descendants(of: pid).count { $0.state == "Z" } }

    package static func descriptorCount(of pid: Int32) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"))?.count ?? 0
    }

    /// The proportional set size in KiB; nil if it cannot be read.
    package static func proportionalSetSize(of pid: Int32) -> Int? {
        text("/proc/\(pid)/smaps_rollup")?.split(separator: "\n").first { $0.hasPrefix("Pss:") }?
            .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    /// The processor time of a process so far, in microseconds, threads that have ended included (proc(5), stat: in steps
    /// of a clock tick, 10 ms as a rule).
    package static func processorTime(of pid: Int32) -> UInt64 {
        guard let line = text("/proc/\(pid)/stat"), let end = line.lastIndex(of: ")") else { return 0 }
        // utime and stime are fields 14 and 15; the first after the name is field 3.
        let fields = line[line.index(after: end)...].split(separator: " ")
        let ticks = fields.dropFirst(11).prefix(2).compactMap { UInt64($0) }.reduce(0, +)
        return ticks * 1_000_000 / UInt64(max(sysconf(Int32(_SC_CLK_TCK)), 1))
    }

    /// The processes whose environment holds an entry, this one excepted.
    package static func processes(withEnvironment entry: String) -> [Int32] {
        let wanted = Array(entry.utf8)
        return all().map(\.pid).filter { pid in
            pid != getpid()
                && (bytes("/proc/\(pid)/environ")?.split(separator: 0).contains { $0.elementsEqual(wanted) } ?? false)
        }
    }

    private static func text(_ path: String) -> String? { bytes(path).map { String(decoding: $0, as: UTF8.self) } }

    /// Files of /proc have no size to ask for, so they are read until they end.
    private static func bytes(_ path: String) -> [UInt8]? {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { return nil }
        defer { close(fd) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(fd, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return all }
            all.append(contentsOf: buffer.prefix(count))
        }
    }
}
