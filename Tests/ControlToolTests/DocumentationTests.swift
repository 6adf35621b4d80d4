// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Platform
import Testing
import Wire

@testable import ControlTool

/// Docs/relightctl.md and Docs/control-protocol.md against the program.
struct DocumentationTests {
    private func page(_ name: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try TextFile.read("/\(root)/Docs/\(name)", limit: 1 << 20)
    }

    @Test(arguments: Commands.all.map(\.name))
    func everyCommandIsDocumentedAsItsHelpTells(_ name: String) throws {
        let page = try page("relightctl.md")
        let command = try #require(Commands.all.first { $0.name == name })
        let heading = [name, command.arguments, command.needed].filter { !$0.isEmpty }.joined(separator: " ")
        let section = try #require(page.split(separator: "### `\(heading)`\n", maxSplits: 1).dropFirst().first)
            .split(separator: "\n## ", maxSplits: 1)[0].split(separator: "\n### ", maxSplits: 1)[0]
        #expect(section.contains(command.details))
        for option in command.options { #expect(section.contains("| `\(option.synopsis)` | \(option.help) |")) }
        for example in command.examples {
            #expect(section.contains(example.line) && section.contains("# \(example.meaning)"))
        }
    }

    @Test func optionsAndExitStatusesAreDocumented() throws {
        let page = try page("relightctl.md")
        for option in Invocation.globalOptions { #expect(page.contains("| `\(option.synopsis)` | \(option.help) |")) }
        for code in ExitCode.allCases { #expect(page.contains("| \(code.rawValue) | \(code.meaning) |")) }
    }

    @Test func theProtocolsPageHasTheInterfaceAsItIsServed() throws {
        #expect(try page("control-protocol.md").contains("```varlink\n\(Control.description)```\n"))
    }
}
