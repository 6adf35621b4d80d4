// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import ControlTool

struct ArgumentTests {
    private let known = [Option("--json", ""), Option("--limit", short: "n", value: "N", "")]

    private func failure(_ words: [String]) -> ToolFailure? {
        do {
            _ = try Arguments(words, options: known)
            return nil
        } catch {
            return error
        }
    }

    @Test func optionsStandAnywhereAndTheLastCounts() throws {
        let arguments = try Arguments(
            ["--limit=3", "a", "-n", "4", "--json", "b", "-", "--", "--json=x", "-"], options: known)
        #expect(arguments.positional == ["a", "b", "-", "--json=x", "-"])
        #expect(arguments.options == ["--limit": "4", "--json": ""])
        #expect(try Arguments(["--limit="], options: known).options == ["--limit": ""])
    }

    @Test func mistakesAreNamedWithARemedy() {
        #expect(failure(["--jsno"])?.remedy == "did you mean '--json'?")
        #expect(failure(["--xyzzyplugh"])?.remedy.contains("'--'") == true)
        #expect(failure(["--limit"])?.remedy == "write '--limit N'")
        #expect(failure(["--json=yes"])?.message == "--json takes no value")
        #expect(failure(["-\u{1B}x"])?.message == #"there is no option '-\u{1b}x' here"#)
    }

    @Test func everyOptionOfOneNameAgreesOnWhetherItTakesAValue() {
        let all = Commands.all.flatMap(\.options) + Invocation.globalOptions
        for option in all {
            #expect(all.allSatisfy { $0.name != option.name || ($0.value == nil) == (option.value == nil) })
        }
    }

    private func run(_ words: String...) -> (ExitCode, ScriptedConsole) {
        let scripted = ScriptedConsole()
        return (ControlTool.run(words, console: scripted.console()), scripted)
    }

    @Test(arguments: Commands.all.map(\.name))
    func everyCommandHasHelpWithExamplesAndItsJSON(_ name: String) {
        for words in [
            name.split(separator: " ").map(String.init) + ["--help"],
            ["help"] + name.split(separator: " ").map(String.init),
        ] {
            let scripted = ScriptedConsole()
            #expect(ControlTool.run(words, console: scripted.console()) == .success)
            #expect(scripted.output.hasPrefix("usage: relightctl [OPTION…] \(name)"))
            #expect(scripted.output.contains("examples:\n  relightctl "))
            #expect(scripted.output.contains("JSON: "))
            #expect(scripted.output.split(separator: "\n").allSatisfy { Text.width($0) <= 110 })
        }
    }

    @Test func overviewNamesEveryCommandAndExitStatus() {
        let (exit, scripted) = run("--help")
        #expect(exit == .success)
        for command in Commands.all { #expect(scripted.output.contains("  \(command.name) ")) }
        for code in ExitCode.allCases { #expect(scripted.output.contains("\(code.rawValue)  \(code.meaning)")) }
        #expect(run("help").1.output == scripted.output)
        #expect(run("--version").1.output.hasPrefix("relightctl "))
    }

    @Test func wrongCommandLinesEndWithTwoAndSayWhatToWrite() {
        let cases: [([String], String)] = [
            ([], "'relightctl --help' lists them"), (["lst"], "did you mean 'list'?"),
            (["zzzzzz"], "'relightctl --help' lists the commands"), (["cookies"], "write 'cookies list'"),
            (["close"], "usage: relightctl [OPTION…] close VIEW"), (["close", "a", "b"], "usage: "),
            (["open", "https://a/"], "add --name NAME"), (["list", "--color", "blue"], "auto, always or never"),
            (["kill", "a", "--host", "--network"], "give one of them"),
            (["kill", "a", "--signal", "FOO"], "KILL, TERM"),
            (["incidents", "--limit", "0"], "give 1 or more"), (["explain", "WarmSlot"], "did you mean 'WarmSlots'?"),
            (["list", "--timeout", "soon"], "give 1 or more"), (["help", "lst"], "did you mean 'list'?"),
        ]
        for (words, hint) in cases {
            let scripted = ScriptedConsole()
            #expect(ControlTool.run(words, console: scripted.console()) == .usage, "\(words)")
            #expect(scripted.error.hasPrefix("relightctl: "), "\(words)")
            #expect(scripted.error.contains(hint), "\(words): \(scripted.error)")
            #expect(scripted.output.isEmpty)
        }
    }

    @Test func globalOptionsMayComeFirst() {
        let (exit, scripted) = run("--socket", "list", "-n", "3", "incidents")
        #expect(exit == .unreachable)
        #expect(scripted.error.contains("control socket list"))
    }
}
