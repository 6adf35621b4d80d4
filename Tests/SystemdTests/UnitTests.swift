// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import Systemd
import TestSupport
import Testing

/// systemd's own tools judge what is in Units/.
@Suite struct UnitTests {
    private static let units = Command.repository + "/Units"

    private func text(_ name: String) throws -> String {
        try TextFile.read(Self.units + "/" + name, limit: 1 << 20)
    }

    /// Copies of units whose program is one that exists.
    private func copies(of names: [String], in directory: TestDirectory) throws -> [String] {
        try names.map { name in
            let file = String(name.split(separator: "/").last ?? "")
            try directory.write(
                text(name).replacing("/usr/bin/relightd", with: "/bin/true"), to: file)
            return directory.path + "/" + file
        }
    }

    @Test func theSystemsUnitsAreClean() throws {
        let directory = try TestDirectory()
        let paths = try copies(of: ["relightd.service", "relightd.socket"], in: directory)
        let result = try Command(["systemd-analyze", "verify"] + paths)
        #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
    }

    @Test func theUsersUnitIsClean() throws {
        let directory = try TestDirectory()
        let paths = try copies(of: ["user/relightd.service"], in: directory)
        let result = try Command(
            ["systemd-analyze", "--user", "verify"] + paths,
            environment: ["PATH=/usr/bin:/bin", "XDG_RUNTIME_DIR=\(directory.path)", "HOME=\(directory.path)"])
        #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
    }

    /// The check would notice: a misspelled key is one.
    @Test func aMistakeIsFound() throws {
        let directory = try TestDirectory()
        let path = try copies(of: ["relightd.service"], in: directory)[0]
        try TestFiles.write(try TextFile.read(path, limit: 1 << 20) + "\n[Service]\nKilMode=mixed\n", to: path)
        let result = try Command(["systemd-analyze", "verify", path])
        #expect(result.output.contains("KilMode"))
    }

    @Test func theHardeningDoesNotErode() throws {
        let directory = try TestDirectory()
        let path = try copies(of: ["relightd.service"], in: directory)[0]
        let result = try Command(["systemd-analyze", "security", "--offline=true", "--threshold=40", path])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test func theUserIsMade() throws {
        let root = try TestDirectory()
        try root.write(text("relight.sysusers"), to: "usr/lib/sysusers.d/relight.conf")
        let result = try Command(["systemd-sysusers", "--dry-run", "--root=\(root.path)"])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("Creating user 'relight'"), "\(result.output)")
    }

    @Test(.enabled(if: Command.isRoot, "needs root"))
    func theDirectoriesAreMade() throws {
        let root = try TestDirectory()
        try root.write(text("relight.tmpfiles"), to: "usr/lib/tmpfiles.d/relight.conf")
        try root.write("root:x:0:0::/:\nrelight:x:990:991::/:\n", to: "etc/passwd")
        try root.write("root:x:0:\nrelight:x:991:\n", to: "etc/group")
        let result = try Command(["systemd-tmpfiles", "--create", "--root=\(root.path)"])
        #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
        for name in ["etc/relight", "etc/relight/pools", "etc/relight/views"] {
            var information = stat()
            #expect(stat(root.path + "/" + name, &information) == 0)
            #expect(information.st_mode & 0o777 == 0o750 && information.st_uid == 0 && information.st_gid == 991)
        }
    }

    @Test func theCatalogExplainsEveryMessage() throws {
        let root = try TestDirectory()
        try root.write(text("relight.catalog"), to: "usr/lib/systemd/catalog/relight.catalog")
        try Directory.make(root.path + "/var/lib/systemd/catalog", mode: 0o755)
        let update = try Command(["journalctl", "--update-catalog", "--root=\(root.path)"])
        #expect(update.status == 0 && update.output.isEmpty, "\(update.output)")
        let list = try Command(["journalctl", "--list-catalog", "--root=\(root.path)"])
        let ids = list.output.split(separator: "\n").map { String($0.prefix(32)) }
        let ours = MessageID.allCases.map(\.rawValue)
        #expect(Set(ids) == Set(ours))
        #expect(ids.count == ours.count)
        // No strangers in the source either, which the database would merge.
        let sources = try text("relight.catalog").split(separator: "\n").filter { $0.hasPrefix("-- ") }
        #expect(sources.map { String($0.dropFirst(3)) } == ours, "the catalog has the order of MessageID.swift")
    }

    @Test func theCatalogNamesOnlyFieldsThatThereAre() throws {
        let documented = try fields(
            documentedIn: TextFile.read(Command.repository + "/Docs/journal.md", limit: 1 << 20))
        #expect(documented.contains("RELIGHT_VIEW"))
        var parts = try text("relight.catalog").split(separator: "@", omittingEmptySubsequences: false).makeIterator()
        while parts.next() != nil, let field = parts.next() { #expect(documented.contains(String(field))) }
    }

    private func fields(documentedIn text: String) throws -> Set<String> {
        Set(text.split { !($0.isUppercase || $0 == "_") }.filter { $0.hasPrefix("RELIGHT_") }.map(String.init))
    }

    @Test func theManualListsEveryMessage() throws {
        let manual = try TextFile.read(Command.repository + "/Docs/journal.md", limit: 1 << 20)
        for id in MessageID.allCases {
            #expect(manual.contains("(`\(id)`) | `\(id.rawValue)` |"), "Docs/journal.md lacks \(id)")
        }
    }
}
