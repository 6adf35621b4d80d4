// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Foundation
import Testing
import Wire

@testable import Snapshots

@Suite struct SnapshotStoreTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func everythingComesBackExactly() async throws {
        let (store, notices) = try SnapshotStore.open(directory: directory.path)
        #expect(notices.isEmpty)
        try await store.apply(CookieChanges(set: Sample.cookies), pool: "main")
        try await store.apply(CookieChanges(set: [Sample.cookies[0]]), pool: "other")
        try await store.save(view: "lobby", pool: "main", state: Sample.page, at: 123_456_789)
        try await store.record(incident: Sample.incident(1))
        let before = try await store.load()
        try await store.close()

        let (again, secondNotices) = try SnapshotStore.open(directory: directory.path)
        #expect(secondNotices.isEmpty)
        let state = try await again.load()
        #expect(state == before)
        #expect(state.cookies == ["main": Sample.cookies, "other": [Sample.cookies[0]]])
        #expect(
            state.views["lobby"]
                == StoredView(
                    pool: "main", url: "http://example.test/list", state: Sample.page, savedAt: 123_456_789,
                    incidents: 1))
        #expect(try await again.incidents(view: "lobby") == [Sample.incident(1)])
        #expect(try await again.incidents(view: "hall").isEmpty)
    }

    @Test func changesReplaceAndDeleteByIdentityOnly() async throws {
        let (store, _) = try SnapshotStore.open(directory: directory.path)
        try await store.apply(CookieChanges(set: Sample.cookies), pool: "main")
        var expected = Sample.cookies
        expected[1].value = "changed"
        expected[1].expires = nil
        let changes = CookieChanges(set: [expected[1]], deleted: [expected[0].identity, expected[3].identity])
        try await store.apply(changes, pool: "main")
        expected.remove(at: 3)
        expected.remove(at: 0)
        #expect(try await store.load().cookies["main"] == expected)
        // Deleted and set at once, as after a re-login: the deletion comes first.
        try await store.apply(
            CookieChanges(set: [Sample.cookies[0]], deleted: [Sample.cookies[0].identity]), pool: "main")
        #expect(try await store.load().cookies["main"] == expected + [Sample.cookies[0]])
    }

    @Test func viewsAndPoolsAreForgottenOnRequest() async throws {
        let (store, _) = try SnapshotStore.open(directory: directory.path)
        for view in ["a", "b", "c"] {
            try await store.save(view: view, pool: view == "c" ? "other" : "main", state: Sample.page, at: 1)
            try await store.record(incident: Sample.incident(Int(view.utf8.first ?? 0), view: view))
        }
        try await store.apply(CookieChanges(set: Sample.cookies), pool: "main")
        try await store.apply(CookieChanges(set: Sample.cookies), pool: "other")
        try await store.remove(view: "a")
        #expect(try await store.load().views.keys.sorted() == ["b", "c"])
        #expect(try await store.load().incidentCounts == ["b": 1, "c": 1])
        try await store.dropPool("main")
        let state = try await store.load()
        #expect(state.views.keys.sorted() == ["c"])
        #expect(state.cookies == ["other": Sample.cookies])
        #expect(try await store.incidents().map(\.view) == ["c", "b", "a"])
    }

    @Test func theNewestThousandIncidentsStayAndAllAreCounted() async throws {
        let (store, _) = try SnapshotStore.open(directory: directory.path)
        await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_100 { group.addTask { try await store.record(incident: Sample.incident(number)) } }
        }
        var closed = Sample.incident(1_099)
        closed.outcome = "recovered"
        closed.closedAt = 2_000_000
        try await store.record(incident: closed)
        let kept = try await store.incidents(view: "lobby")
        #expect(kept.count == StoreLimit.incidents)
        #expect(kept.first == closed)
        #expect(kept.last == Sample.incident(100))
        #expect(try await store.load().incidentCounts == ["lobby": 1_100])
    }

    @Test func concurrentChangesShareCommits() async throws {
        let (store, _) = try SnapshotStore.open(directory: directory.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let cookie = Cookie(name: "n\(number)", value: "v", domain: "example.test")
                    try await store.apply(CookieChanges(set: [cookie]), pool: "main")
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.load().cookies["main"]?.count == 1_000)
        let commits = await store.commits
        #expect(commits >= 1 && commits <= 100, "\(commits) commits")
    }

    @Test func oneImpossibleChangeDoesNotTakeOthersWithIt() async throws {
        let (store, _) = try SnapshotStore.open(directory: directory.path)
        let flood = (0...StoreLimit.cookiesPerPool).map { Cookie(name: "n\($0)", value: "v", domain: "example.test") }
        let good = Task { try await store.apply(CookieChanges(set: Sample.cookies), pool: "good") }
        let bad = Task { try await store.apply(CookieChanges(set: flood), pool: "bad") }
        try await good.value
        await #expect(throws: StoreError(.limitReached, "", "", reason: "")) { try await bad.value }
        #expect(try await store.load().cookies == ["good": Sample.cookies])
        await #expect(throws: StoreError(.limitReached, "", "", reason: "")) {
            var page = Sample.page
            page.title = String(repeating: "x", count: StoreLimit.pageState)
            try await store.save(view: "lobby", pool: "main", state: page, at: 1)
        }
    }

    @Test func aClosedStoreSaysSo() async throws {
        let (store, _) = try SnapshotStore.open(directory: directory.path)
        let waiting = Task { try await store.apply(CookieChanges(set: Sample.cookies), pool: "main") }
        try await waiting.value
        try await store.close()
        try await store.close()
        await #expect(throws: StoreError(.closed, "", "", reason: "")) { try await store.load() }
        await #expect(throws: StoreError(.closed, "", "", reason: "")) {
            try await store.apply(CookieChanges(set: Sample.cookies), pool: "main")
        }
        let log = try FileManager.default.attributesOfItem(atPath: directory.database)[.size] as? Int
        #expect(log ?? 0 > 0)
        #expect(directory.names == ["snapshots.sqlite"])
    }

    @Test func theFileStaysSmallThroughManySaves() async throws {
        let (store, _) = try SnapshotStore.open(directory: directory.path)
        var page = Sample.page
        page.sessionState = String(repeating: "A", count: 100_000)
        for number in 0..<500 {
            page.title = "\(number)"
            try await store.save(view: "lobby", pool: "main", state: page, at: UInt64(number))
        }
        let sizes = try directory.names.map { name in
            try FileManager.default.attributesOfItem(atPath: "\(directory.path)/\(name)")[.size] as? Int ?? 0
        }
        #expect(sizes.reduce(0, +) < 12 << 20, "\(sizes)")
        try await store.remove(view: "lobby")
        try await store.close()
        let size = try FileManager.default.attributesOfItem(atPath: directory.database)[.size] as? Int
        #expect(size ?? .max < 100_000)
    }
}
