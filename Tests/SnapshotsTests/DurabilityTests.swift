// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Foundation
import Synchronization
import Testing
import Wire

@testable import Snapshots

private final class Total: Sendable {
    private let count = Atomic<Int>(0)
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

/// What was acknowledged is there after SIGKILL, wherever it hits.
@Suite struct DurabilityTests {
    private static let writers = 8

    @Test func everythingAcknowledgedSurvivesSIGKILL() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        var generator = SeededGenerator(seed: 1)
        var floors = [Int](repeating: 0, count: Self.writers)
        for round in 0..<12 {
            let enough = Int.random(in: 1...400, using: &generator)
            let spins = Int.random(in: 0...200_000, using: &generator)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, enough = enough as Int, spins = spins as Int, floors = floors as [Int]] in
                try await DurabilityTests.write(path, killAfter: enough, spins, from: floors)
            }
            let acknowledged = try Self.acknowledged(path)
            let (store, notices) = try SnapshotStore.open(directory: path)
            #expect(notices.isEmpty)
            let state = try await store.load()
            for writer in 0..<Self.writers {
                let cookie = state.cookies["main"]?.first { $0.name == "writer\(writer)" }?.value
                let page = state.views["view\(writer)"]?.state?.title
                let stored = Int(cookie ?? page ?? "") ?? 0
                #expect(stored >= acknowledged[writer], "round \(round), writer \(writer)")
                #expect(acknowledged[writer] >= floors[writer])
                floors[writer] = acknowledged[writer]
            }
            try await store.close()
        }
        // The probe itself: the writers did work.
        #expect(floors.reduce(0, +) > 500)
    }

    /// Writers that count up, half in cookies and half in page states,
    /// and once that is acknowledged in a file; SIGKILL comes in the midst of it.
    private static func write(_ path: String, killAfter enough: Int, _ spins: Int, from floors: [Int]) async throws {
        let (store, _) = try SnapshotStore.open(directory: path)
        let file = open("\(path)/acknowledged", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        let total = Total()
        // Makes commits long, so that the signal finds one under way.
        let ballast = String(repeating: "A", count: 100_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in (floors[writer] + 1)... {
                        if writer % 2 == 0 {
                            let cookie = Cookie(name: "writer\(writer)", value: "\(number)", domain: "a.test")
                            try await store.apply(CookieChanges(set: [cookie]), pool: "main")
                        } else {
                            let page = PageState(url: "http://a.test/", title: "\(number)", sessionState: ballast)
                            try await store.save(view: "view\(writer)", pool: "main", state: page, at: 1)
                        }
                        // In the page cache, which outlives the process.
                        var value = number
                        pwrite(file, &value, MemoryLayout<Int>.size, writer * MemoryLayout<Int>.size)
                        guard total.next() == enough else { continue }
                        // On another thread than the store's, after a while that ends anywhere in the others' commits.
                        Thread.detachNewThread {
                            for _ in 0..<spins { _ = getppid() }
                            kill(getpid(), SIGKILL)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func acknowledged(_ path: String) throws -> [Int] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(path)/acknowledged"))
        return (0..<writers).map { writer in
            bytes.withUnsafeBytes { buffer in
                let offset = writer * MemoryLayout<Int>.size
                return offset + MemoryLayout<Int>.size <= buffer.count
                    ? buffer.loadUnaligned(fromByteOffset: offset, as: Int.self) : 0
            }
        }
    }

    @Test func commitsAreSynced() async throws {
        let directory = try TemporaryDirectory()
        var file = StoreFile(directory: directory.path)
        let connection = try file.open(schema: .current)
        // SIGKILL cannot show this: 2 is FULL, a sync of the log at each commit.
        #expect(try connection.database.integer("PRAGMA synchronous") == 2)
        #expect(try connection.database.text("PRAGMA journal_mode") == "wal")
    }
}
