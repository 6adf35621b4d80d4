// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Foundation
import Testing
import Wire

@testable import Snapshots

/// A small file system of its own, mounted for one test.
private final class SmallFileSystem: Sendable {
    let directory: TemporaryDirectory
    var path: String { directory.path }

    init(size: String) throws {
        directory = try TemporaryDirectory()
        try run("/bin/mount", "-t", "tmpfs", "-o", "size=\(size),mode=0700", "tmpfs", directory.path)
    }

    deinit { try? run("/bin/umount", "-l", directory.path) }

    func remount(_ options: String) throws { try run("/bin/mount", "-o", "remount,\(options)", directory.path) }

    /// Takes all the space that is left.
    func fill() throws {
        let fd = open("\(path)/ballast", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(fd) }
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(fd, block, block.count) > 0 {}
        try #require(errno == ENOSPC)
    }

    func free() { unlink("\(path)/ballast") }
}

private func run(_ path: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw POSIXError(.EPERM) }
}

/// Whether this user may mount here: containers often forbid it even to root.
private let canMount = (try? SmallFileSystem(size: "64k")) != nil

private func cookie(_ number: Int, size: Int = 10) -> CookieChanges {
    CookieChanges(set: [Cookie(name: "n\(number)", value: String(repeating: "x", count: size), domain: "a.test")])
}

@Suite struct FileSystemTests {
    @Test func nobodyElseCanReadIt() async throws {
        let directory = try TemporaryDirectory()
        let state = "\(directory.path)/deep/state"
        let before = umask(0)
        let (store, notices) = try SnapshotStore.open(directory: state)
        try await store.apply(cookie(1), pool: "main")
        umask(before)
        #expect(notices.isEmpty)
        #expect(directory.mode(state) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: state) {
            #expect(directory.mode("\(state)/\(name)") == 0o600, "\(name)")
        }
    }

    @Test func tooWideModesAreNarrowed() async throws {
        let directory = try TemporaryDirectory()
        let (first, _) = try SnapshotStore.open(directory: directory.path)
        try await first.close()
        chmod(directory.path, 0o755)
        chmod(directory.database, 0o644)
        let (_, notices) = try SnapshotStore.open(directory: directory.path)
        #expect(notices.map(\.kind) == [.mode, .mode])
        #expect(directory.mode(directory.path) == 0o700)
        #expect(directory.mode(directory.database) == 0o600)
    }

    @Test func aSecondUserOfTheDirectoryIsRefused() async throws {
        let directory = try TemporaryDirectory()
        let (store, _) = try SnapshotStore.open(directory: directory.path)
        try await store.apply(cookie(1), pool: "main")
        let error = #expect(throws: StoreError.self) { try SnapshotStore.open(directory: directory.path) }
        #expect(error?.code == .inUse)
        #expect(error?.description.contains(directory.database) == true)
        try await store.apply(cookie(2), pool: "main")
        #expect(try await store.load().cookies["main"]?.count == 2)
    }

    @Test(.enabled(if: canMount, "needs mount(8)")) func aFullDiskIsReportedAndSurvived() async throws {
        let disk = try SmallFileSystem(size: "1m")
        let (store, _) = try SnapshotStore.open(directory: disk.path)
        try await store.apply(cookie(0), pool: "main")
        try disk.fill()
        var failure: StoreError?
        var stored = 0
        for number in 1..<200 {
            do throws(StoreError) {
                try await store.apply(cookie(number, size: 4_000), pool: "main")
                stored = number
            } catch {
                failure = error
                break
            }
        }
        let error = try #require(failure)
        #expect(error.code == .noSpace)
        #expect(error.description.contains(store.path))
        #expect(error.description.contains("No space left on device"))
        #expect(!error.description.contains("xxx"))
        #expect(try await store.load().cookies["main"]?.count == stored + 1)
        disk.free()
        try await store.apply(cookie(1_000), pool: "main")
        #expect(try await store.load().cookies["main"]?.count == stored + 2)
        try await store.close()
        let (again, notices) = try SnapshotStore.open(directory: disk.path)
        #expect(notices.isEmpty)
        #expect(try await again.load().cookies["main"]?.count == stored + 2)
    }

    @Test(.enabled(if: canMount, "needs mount(8)")) func aStoreOpensOnAFullDiskIfItExists() async throws {
        let disk = try SmallFileSystem(size: "1m")
        let (store, _) = try SnapshotStore.open(directory: disk.path)
        try await store.apply(cookie(0), pool: "main")
        try await store.close()
        try disk.fill()
        let (again, notices) = try SnapshotStore.open(directory: disk.path)
        #expect(notices.isEmpty)
        #expect(try await again.load().cookies["main"]?.count == 1)

        let empty = try SmallFileSystem(size: "1m")
        try empty.fill()
        let error = #expect(throws: StoreError.self) { try SnapshotStore.open(directory: empty.path) }
        #expect(error?.code == .noSpace)
        #expect(error?.description.contains("\(empty.path)/snapshots.sqlite") == true)
        empty.free()
        _ = try SnapshotStore.open(directory: empty.path)
    }

    @Test(.enabled(if: canMount, "needs mount(8)")) func aReadOnlyDirectoryIsAnErrorThatNamesIt() async throws {
        let disk = try SmallFileSystem(size: "1m")
        try disk.remount("ro")
        let error = #expect(throws: StoreError.self) { try SnapshotStore.open(directory: disk.path) }
        #expect(error?.code == .readOnly)
        #expect(error?.description.contains(disk.path) == true)
        #expect(error?.description.contains("Read-only file system") == true)
        #expect(
            #expect(throws: StoreError.self) { try SnapshotStore.open(directory: disk.path + "/sub") }?.code
                == .readOnly)

        // With a good database in it, that one is left alone.
        try disk.remount("rw")
        let (store, _) = try SnapshotStore.open(directory: disk.path)
        try await store.apply(cookie(0), pool: "main")
        try await store.close()
        try disk.remount("ro")
        let second = #expect(throws: StoreError.self) { try SnapshotStore.open(directory: disk.path) }
        #expect(second?.code == .readOnly)
        try disk.remount("rw")
        let (again, notices) = try SnapshotStore.open(directory: disk.path)
        #expect(notices.isEmpty)
        #expect(try await again.load().cookies["main"]?.count == 1)
    }

    @Test func aFileInTheDirectorysPlaceIsAnError() throws {
        let directory = try TemporaryDirectory()
        try Data().write(to: URL(fileURLWithPath: "\(directory.path)/file"))
        let error = #expect(throws: StoreError.self) { try SnapshotStore.open(directory: "\(directory.path)/file") }
        #expect(error?.description.contains("Not a directory") == true)
        let under = #expect(throws: StoreError.self) { try SnapshotStore.open(directory: "\(directory.path)/file/x") }
        #expect(under?.description.contains("Not a directory") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func anotherUserIsTurnedAway() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            let (store, _) = try SnapshotStore.open(directory: path)
            try await store.close()
            try #require(setuid(65_534) == 0)
            let error = #expect(throws: StoreError.self) { try SnapshotStore.open(directory: path) }
            #expect(error?.code == .notPermitted)
        }
    }

    @Test func aWriteErrorIsReportedAndSurvived() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            let (store, _) = try SnapshotStore.open(directory: path)
            try await store.apply(cookie(0), pool: "main")
            // EFBIG, which SQLite reports as it does EIO, with the errno lost.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 100_000, rlim_max: rlim_t.max)
            setrlimit(__rlimit_resource_t(1), &limit)
            let error = await #expect(throws: StoreError.self) {
                try await store.apply(cookie(1, size: 200_000), pool: "main")
            }
            #expect(error?.code == .inputOutput)
            #expect(error?.description.contains("disk I/O error") == true)
            limit.rlim_cur = rlim_t.max
            setrlimit(__rlimit_resource_t(1), &limit)
            try await store.apply(cookie(2), pool: "main")
            #expect(try await store.load().cookies["main"]?.count == 2)
        }
    }
}
