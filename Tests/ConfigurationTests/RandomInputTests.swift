// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Configuration

/// Whatever bytes a file holds, loading ends, says something sensible, and never gives an invalid configuration.
@Suite struct RandomInputTests {
    private static let pieces: [String] =
        [
            "[", "]", "=", "\\", "\n", "\r\n", " ", "\t", "#", ";", "\"", "'", "\0", "[View]\n", "[Pool]\n",
            "[Relight]\n",
            "URL=http://x.test/\n", "infinity", "1min", "999999999999999999999", "yes", "-", "x", "é", "\u{1F600}",
            "%n",
            "\u{FEFF}", "..", "/", "X-",
        ] + Configuration.reference.map { $0.name + "=" + $0.example + "\n" }
        + Configuration.reference.map { $0.name + "=" }

    @Test(arguments: 1...20) func anyBytesGiveAnAnswer(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var files: [ConfigurationFile] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let name = ["a", "b", "default", "", "..", "ü"].randomElement(using: &random) ?? "a"
                let kinds: [ConfigurationFile.Kind] = [.daemon, .pool(name), .view(name)]
                let kind = kinds.randomElement(using: &random) ?? .daemon
                files.append(
                    ConfigurationFile(
                        kind: kind, isDropIn: Bool.random(using: &random), path: "f\(files.count)",
                        bytes: bytes(&random)))
            }
            let loaded = Configuration.load(files)
            check(loaded, files)
            #expect(Configuration.load(files.reversed()).configuration == loaded.configuration)
            #expect(Configuration.changes(from: loaded.configuration, to: loaded.configuration).isEmpty)
        }
    }

    private func check(_ loaded: Configuration.Loaded, _ files: [ConfigurationFile]) {
        for (name, view) in loaded.configuration.views {
            #expect(ConfigurationName.problem(with: name) == nil)
            #expect(PageURL.problem(with: view.url) == nil)
            #expect(loaded.configuration.pools[view.pool] != nil)
        }
        for (name, pool) in loaded.configuration.pools {
            #expect(ConfigurationName.problem(with: name) == nil)
            #expect(pool.heartbeatTimeout >= pool.heartbeatInterval ?? .zero)
        }
        #expect(loaded.rejectedViews.isDisjoint(with: loaded.configuration.views.keys))
        #expect(loaded.rejectedPools.isDisjoint(with: loaded.configuration.pools.keys))
        let rejected = loaded.isDaemonRejected || !loaded.rejectedPools.isEmpty || !loaded.rejectedViews.isEmpty
        #expect(rejected == loaded.hasErrors)
        for diagnostic in loaded.diagnostics {
            #expect(!diagnostic.description.utf8.contains { $0 < 0x20 }, "\(diagnostic)")
            #expect(diagnostic.remedy != nil)
            #expect((diagnostic.line ?? 1) >= 1)
        }
    }

    private func bytes(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...40, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: bytes.append(UInt8.random(in: 0...255, using: &random))
            default: bytes += Array((Self.pieces.randomElement(using: &random) ?? "").utf8)
            }
        }
        return bytes
    }
}
