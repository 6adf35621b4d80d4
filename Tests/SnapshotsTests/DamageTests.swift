// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Foundation
import Testing
import Wire

@testable import Snapshots

/// Numbers that are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// Whatever the file holds, a store opens, can be read, and stores.
@Suite struct DamageTests {
    private let directory: TemporaryDirectory
    /// The database and its log as a killed relightd leaves them.
    private let main: Data
    private let log: Data

    init() async throws {
        directory = try TemporaryDirectory()
        let origin = try TemporaryDirectory()
        let (store, _) = try SnapshotStore.open(directory: origin.path)
        for number in 0..<60 {
            let cookies = Sample.cookies.map { cookie in
                var cookie = cookie
                cookie.domain = "site\(number).test"
                return cookie
            }
            try await store.apply(CookieChanges(set: cookies), pool: "main")
            try await store.save(view: "v\(number)", pool: "main", state: Sample.page, at: UInt64(number))
            try await store.record(incident: Sample.incident(number))
        }
        try await store.close()
        let (again, _) = try SnapshotStore.open(directory: origin.path)
        try await again.apply(CookieChanges(set: Sample.cookies), pool: "main")
        try await again.save(view: "last", pool: "main", state: Sample.page, at: 1)
        main = try Data(contentsOf: URL(fileURLWithPath: origin.database))
        log = try Data(contentsOf: URL(fileURLWithPath: origin.database + "-wal"))
        try #require(log.count > 1_000)
        withExtendedLifetime(again) {}
    }

    /// Opens a store on these files; returns its notices and what it holds, after a change was made and read back.
    private func use(_ main: Data, _ log: Data) async throws -> (notices: [StoreNotice], state: StoredState) {
        for name in directory.names { try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)") }
        try main.write(to: URL(fileURLWithPath: directory.database))
        chmod(directory.database, 0o600)
        if !log.isEmpty { try log.write(to: URL(fileURLWithPath: directory.database + "-wal")) }
        let (store, notices) = try SnapshotStore.open(directory: directory.path)
        let state = try await store.load()
        let cookie = Cookie(name: "new", value: "1", domain: "new.test")
        try await store.apply(CookieChanges(set: [cookie]), pool: "new")
        #expect(try await store.load().cookies["new"] == [cookie])
        try await store.close()
        return (notices, state)
    }

    @Test func anIntactPairComesBackWhole() async throws {
        let (notices, state) = try await use(main, log)
        #expect(notices.isEmpty)
        #expect(state.views.count == 61)
        #expect(state.cookies["main"]?.count == 61 * Sample.cookies.count)
    }

    @Test func theLogMayEndAnywhere() async throws {
        for length in stride(from: 0, to: log.count, by: log.count / 24) {
            let (notices, state) = try await use(main, log.prefix(length))
            // A cut log is what a power failure leaves: the commits before it count, and nothing is set aside.
            #expect(notices.isEmpty, "log cut at \(length): \(notices)")
            #expect(state.views.count >= 60, "log cut at \(length)")
        }
    }

    @Test func theDatabaseMayEndAnywhere() async throws {
        for length in [0, 1, 15, 16, 99, 100, 101, 4_095, 4_096, 4_097]
            + Array(
                stride(from: 8_192, to: main.count, by: main.count / 24))
        {
            let (notices, state) = try await use(main.prefix(length), Data())
            // The tail of the last page may be empty.
            let isWhole = state.views.count == 60 && state.cookies["main"]?.count == 60 * Sample.cookies.count
            #expect(isWhole == notices.isEmpty, "database cut at \(length) of \(main.count): \(notices)")
        }
    }

    @Test func anyBitMayFlip() async throws {
        var generator = SeededGenerator(seed: 7)
        var intact = 0
        for round in 0..<120 {
            var (main, log) = (main, log)
            for _ in 0..<(round % 3 == 0 ? 40 : 1) {
                let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
                if round % 4 == 3 {
                    log[Int.random(in: 0..<log.count, using: &generator)] ^= bit
                } else {
                    // The header and the first page decide most.
                    let end = round % 2 == 0 ? 4_096 : main.count
                    main[Int.random(in: 0..<end, using: &generator)] ^= bit
                }
            }
            let (notices, _) = try await use(main, log)
            if notices.isEmpty { intact += 1 }
        }
        // Most single bits lie in contents or in free space.
        #expect(intact > 0)
    }

    @Test func aDamagedFileIsKeptUnderADatedName() async throws {
        var broken = main
        for index in 4_096..<broken.count { broken[index] = 0xff }
        let (notices, state) = try await use(broken, log)
        let isEmpty = state.cookies.isEmpty
        #expect(isEmpty)
        let notice = try #require(notices.first)
        #expect(notice.kind == .damaged)
        let kept = try #require(notice.setAside)
        #expect(kept.contains("snapshots.sqlite.damaged-20"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == broken)
        #expect(FileManager.default.fileExists(atPath: kept + "-wal"))
        #expect(notice.description.contains(kept))
    }

    @Test func onlyAFewDamagedFilesAreKept() async throws {
        for round in 0..<6 {
            try Data("round \(round)".utf8).write(to: URL(fileURLWithPath: directory.database))
            let (store, notices) = try SnapshotStore.open(directory: directory.path)
            #expect(notices.contains { $0.kind == .damaged })
            #expect(notices.contains { $0.kind == .removed } == (round >= StoreFile.keptAside))
            try await store.close()
        }
        let aside = directory.names.filter { $0.hasPrefix("snapshots.sqlite.") }
        #expect(aside.count == StoreFile.keptAside)
        let texts = try Set(aside.map { try String(contentsOfFile: "\(directory.path)/\($0)", encoding: .utf8) })
        #expect(texts == ["round 3", "round 4", "round 5"])
    }

    @Test func filesOfOthersAreSetAside() async throws {
        let run = Process()
        run.executableURL = URL(fileURLWithPath: "/bin/mkdir")
        run.arguments = [directory.database]
        try run.run()
        run.waitUntilExit()
        let (store, notices) = try SnapshotStore.open(directory: directory.path)
        #expect(notices.map(\.kind) == [.foreign])
        try await store.close()

        // Ours but for the owner's mark.
        var foreign = main
        foreign.replaceSubrange(68..<72, with: [0, 0, 0, 1])
        #expect(try await use(foreign, Data()).notices.map(\.kind) == [.foreign])
        #expect(try await use(Data("hello, I am a text file".utf8), Data()).notices.map(\.kind) == [.damaged])
    }

    @Test func aNewerVersionIsSetAsideUntouched() async throws {
        let newer = Schema(
            steps: Schema.current.steps + ["CREATE TABLE later (x) STRICT".replacing(" STRICT", with: "")])
        do {
            let (store, _) = try SnapshotStore.open(directory: directory.path, schema: newer)
            try await store.apply(CookieChanges(set: Sample.cookies), pool: "main")
            try await store.close()
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.database))
        let (store, notices) = try SnapshotStore.open(directory: directory.path)
        #expect(notices.map(\.kind) == [.newer])
        #expect(notices.first?.description.contains("version 2") == true)
        #expect(try await store.load().cookies.isEmpty)
        let kept = try #require(notices.first?.setAside)
        #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == bytes)
    }

    @Test func anOlderVersionIsBroughtUpToDate() async throws {
        let (old, _) = try SnapshotStore.open(directory: directory.path)
        try await old.apply(CookieChanges(set: Sample.cookies), pool: "main")
        try await old.close()
        let next = Schema(steps: Schema.current.steps + ["CREATE TABLE later (x TEXT); INSERT INTO later VALUES ('y')"])
        let (store, notices) = try SnapshotStore.open(directory: directory.path, schema: next)
        #expect(notices.isEmpty)
        #expect(try await store.load().cookies == ["main": Sample.cookies])
        try await store.close()
        let database = try Database(path: directory.database)
        #expect(try database.integer("PRAGMA user_version") == 2)
        #expect(try database.text("SELECT x FROM later") == "y")
    }

    @Test func aStepThatFailsChangesNothing() async throws {
        let (old, _) = try SnapshotStore.open(directory: directory.path)
        try await old.apply(CookieChanges(set: Sample.cookies), pool: "main")
        try await old.close()
        let database = try Database(path: directory.database)
        let broken = Schema(
            steps: Schema.current.steps + ["CREATE TABLE later (x TEXT); INSERT INTO nowhere VALUES (1)"])
        #expect(throws: StoreError.self) { try broken.migrate(database, from: 1) }
        #expect(try database.integer("PRAGMA user_version") == 1)
        #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'later'") == 0)
    }
}
