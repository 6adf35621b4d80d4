// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import FoundationEssentials
import Testing

@testable import Configuration

/// The table of keys against the settings' own defaults, and against the page that people read.
@Suite struct ReferenceTests {
    @Test func defaultsAreWhatTheTableSays() throws {
        try check(DaemonSettings.keys)
        try check(PoolSettings.keys)
        try check(ViewSettings.keys)
    }

    private func check<Settings: SettingsSection>(_ keys: [Key<Settings>]) throws {
        for key in keys {
            var settings = Settings.defaults
            if !key.reference.defaultText.isEmpty {
                try key.assign(&settings, key.reference.defaultText)
                #expect(settings == Settings.defaults, "\(key.name)'s default is documented wrongly")
            }
            try key.assign(&settings, key.reference.example)
            key.reset(&settings)
            #expect(settings == Settings.defaults, "\(key.name) is not reset")
        }
        #expect(Set(keys.map(\.name)).count == keys.count)
    }

    @Test func everyKeyIsToldApartByChanges() throws {
        for key in PoolSettings.keys where key.reference.example != key.reference.defaultText {
            var settings = PoolSettings()
            try key.assign(&settings, key.reference.example)
            #expect(PoolSettings.keys.filter { $0.differs(settings, .defaults) }.map(\.name) == [key.name])
        }
    }

    @Test func explainFindsKeysInAnyLetterCase() throws {
        #expect(Configuration.explain("warmslots=").map(\.name) == ["WarmSlots"])
        #expect(Configuration.explain("geometry").map(\.section) == ["Pool"])
        #expect(Configuration.explain("nothing").isEmpty)
        let text = try #require(Configuration.explain("URL").first?.explanation)
        #expect(text.hasPrefix("URL= in [View] of views/NAME.view\n"))
    }

    @Test func theDocumentationHasExactlyTheseRows() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = try String(contentsOfFile: "/\(root)/Docs/configuration.md", encoding: .utf8)
        let rows = page.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| `") && $0.contains("=` |") }
        let expected = Configuration.reference.map(\.markdownRow)
        #expect(rows == expected, "Docs/configuration.md should have these rows:\n\(expected.joined(separator: "\n"))")
    }

    @Test func theExamplesOfTheDocumentationAreValid() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = try String(contentsOfFile: "/\(root)/Docs/configuration.md", encoding: .utf8)
        let blocks = page.components(separatedBy: "```ini\n").dropFirst().map { String($0.prefix { $0 != "`" }) }
        let files = blocks.compactMap { block -> ConfigurationFile? in
            // The first line of each example is a comment with the file's path.
            let path = block.prefix { $0 != "\n" }.dropFirst(2)
            let relative = path.hasPrefix("/etc/relight/") ? path.dropFirst(13) : path
            return ConfigurationFile(relativePath: String(relative), bytes: Array(block.utf8))
        }
        #expect(files.count == blocks.count)
        #expect(files.count >= 4)
        let loaded = Configuration.load(files)
        #expect(loaded.diagnostics.map(\.description) == [])
        #expect(!loaded.configuration.views.isEmpty)
    }
}
