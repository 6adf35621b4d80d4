// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import ConfigurationFiles
import Foundation
import Testing
import Wire

@testable import ControlTool

struct CheckTests {
    private func check(_ files: [String: String], _ options: [String] = []) throws -> (ExitCode, String, String) {
        let directory = FileManager.default.temporaryDirectory.appending(path: "relight-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for (path, text) in files {
            let file = directory + "/" + path
            try FileManager.default.createDirectory(
                atPath: String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)]), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: file))
        }
        let scripted = ScriptedConsole()
        let exit = ControlTool.run(["check", directory] + options, console: scripted.console())
        return (
            exit, scripted.output.replacing(directory, with: "ETC"), scripted.error.replacing(directory, with: "ETC")
        )
    }

    @Test func aSoundConfigurationPasses() throws {
        let (exit, output, _) = try check([
            "relight.conf": "[Relight]\nLogLevel=notice\n", "pools/till.pool": "[Pool]\nRenderer=builtin\n",
            "views/shop.view": "[View]\nURL=https://example.org/\n",
            "views/shop.view.d/10-pool.conf": "[View]\nPool=till\n", "views/README": "ignored on purpose",
            "views/.shop.view.swp": "", "views/shop.view~": "",
        ])
        #expect(exit == .success)
        #expect(output == "ETC: 2 pools and 1 view can be used; nothing to complain about\n")
    }

    @Test func mistakesNameFileLineAndTheNearestKey() throws {
        let (exit, output, error) = try check([
            "views/a.view": "[View]\nUlr=https://example.org/\n", "views/b.view": "[View]\nURL=https://example.org/\n",
        ])
        #expect(exit == .invalidConfiguration)
        #expect(output.contains("ETC/views/a.view:2: "))
        #expect(output.contains("did you mean 'URL'?"))
        #expect(
            output.hasSuffix("ETC: 1 pool and 1 view can be used; 2 errors, 0 warnings\n") || output.contains("1 error")
        )
        #expect(error.isEmpty)
    }

    @Test func jsonHasEveryDiagnosticTakenApart() throws {
        let (exit, output, _) = try check(["pools/p.pool": "[Pool]\nWarmSlots=99\n"], ["--json"])
        #expect(exit == .invalidConfiguration)
        let json = try JSON.decode(JSONValue.self, from: Array(output.utf8))
        #expect(json["errors"] == .integer(1))
        guard case .array(let all)? = json["diagnostics"], let first = all.first else {
            throw FrameError(.malformed, "no diagnostics in \(output)")
        }
        #expect(first["path"] == .string("ETC/pools/p.pool"))
        #expect(first["line"] == .integer(2))
        #expect(first["key"] == .string("WarmSlots"))
        #expect(first["severity"] == .string("error"))
    }

    @Test func filesThatRelightdWouldPassOverAreNoticed() throws {
        let (exit, output, _) = try check(["views/a.vew": "", "views/b.view.d/c.txt.view": "", "viws": "", "other": ""])
        #expect(exit == .success)
        #expect(output.contains("ETC/views/a.vew: warning: relightd ignores this; name it NAME.view\n"))
        #expect(output.contains("ETC/views/b.view.d/c.txt.view: warning: relightd ignores this; name it NAME.conf\n"))
        #expect(output.contains("ETC/viws: warning: relightd ignores this; did you mean 'views'?\n"))
        #expect(!output.contains("ETC/other"))
    }

    @Test func whatCannotBeReadIsAnErrorAndIsNotWaitedFor() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "relight-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createDirectory(atPath: directory + "/views", withIntermediateDirectories: true)
        #expect(mkfifo(directory + "/views/pipe.view", 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: directory + "/views/folder.view", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: directory + "/views/gone.view", withDestinationPath: directory + "/nowhere")
        let scripted = ScriptedConsole()
        #expect(ControlTool.run(["check", directory], console: scripted.console()) == .invalidConfiguration)
        for name in ["pipe", "folder", "gone"] {
            #expect(scripted.output.contains("\(directory)/views/\(name).view: it cannot be read: "))
        }
    }

    @Test func aMissingDirectoryIsALocalFailure() throws {
        let scripted = ScriptedConsole()
        #expect(ControlTool.run(["check", "/nonexistent/relight"], console: scripted.console()) == .local)
        #expect(scripted.error.contains("/nonexistent/relight: No such file or directory"))
        let file = ScriptedConsole()
        #expect(ControlTool.run(["check", "/etc/passwd"], console: file.console()) == .local)
        #expect(file.error.contains("give the directory"))
    }

    @Test func theStandardDirectoryIsTheDaemons() {
        #expect(ConfigurationDirectory.standard({ _ in nil }, isRoot: true) == "/etc/relight")
        #expect(
            ConfigurationDirectory.standard({ $0 == "HOME" ? "/home/k" : nil }, isRoot: false)
                == "/home/k/.config/relight")
        #expect(
            ConfigurationDirectory.standard({ $0 == "XDG_CONFIG_HOME" ? "/x" : "/h" }, isRoot: false) == "/x/relight")
    }

    @Test func explainSaysWhatAKeyMeans() {
        let scripted = ScriptedConsole()
        #expect(ControlTool.run(["explain", "url"], console: scripted.console()) == .success)
        #expect(scripted.output.hasPrefix("URL= in [View]"))
        let all = ScriptedConsole()
        #expect(ControlTool.run(["explain", "--json"], console: all.console()) == .success)
        #expect(all.output.contains(#""name":"WarmSlots""#))
    }
}
