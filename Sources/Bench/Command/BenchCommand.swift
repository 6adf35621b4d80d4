// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Wire

/// The command line of relight-bench.
package enum BenchCommand {
    /// Exit codes: what was asked for was shown; something was lost or is worse than wanted; the command line is wrong;
    /// the measurement could not be made (sysexits.h).
    package enum Exit: Int32, Sendable {
        case success = 0
        case lost = 1
        case usage = 64
        case unavailable = 69
    }

    /// Runs a subcommand and returns the exit code. Blocks; uses the calling thread for everything but the page server
    /// and the look at the screen.
    package static func run(_ arguments: [String]) -> Exit {
        signal(SIGPIPE, SIG_IGN)
        Cleanup.handleInterruptions()
        raiseDescriptorLimit()
        let rest = arguments.dropFirst()
        guard let name = arguments.first, name != "--help", name != "-h", name != "help" else {
            Terminal.print(arguments.isEmpty ? BenchHelp.usage : BenchHelp.overview, terminator: "")
            return arguments.isEmpty ? .usage : .success
        }
        guard let subcommand = Subcommand(rawValue: name) else {
            return misuse("there is no subcommand '\(name)'", of: nil)
        }
        if rest.contains("--help") || rest.contains("-h") {
            Terminal.print(subcommand.help, terminator: "")
            return .success
        }
        defer { Cleanup.yieldToInterruption() }
        do {
            return try subcommand.run(rest)
        } catch let error as Arguments.Misuse {
            return misuse(error.description, of: subcommand)
        } catch {
            Cleanup.yieldToInterruption()
            Progress().warn("relight-bench \(name): \(error)")
            return .unavailable
        }
    }

    private static func misuse(_ text: String, of subcommand: Subcommand?) -> Exit {
        let name = subcommand.map { "relight-bench \($0.rawValue)" } ?? "relight-bench"
        Progress().warn("\(name): \(text); see '\(name) --help'")
        return .usage
    }

    /// A thousand hosts need more descriptors than a shell's default allows; children inherit the limit.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// What relight-bench can do.
enum Subcommand: String, CaseIterable {
    case serve, storm, recovery, supervision, demo

    func run(_ arguments: some Sequence<String>) throws -> BenchCommand.Exit {
        switch self {
        case .serve: try ServeCommand.run(arguments)
        case .storm: try StormCommand.run(arguments)
        case .recovery: try RecoveryCommand.run(arguments)
        case .supervision: try SupervisionCommand.run(arguments)
        case .demo: try DemoCommand.run(arguments)
        }
    }

    var help: String {
        switch self {
        case .serve: BenchHelp.serve
        case .storm: BenchHelp.storm
        case .recovery: BenchHelp.recovery
        case .supervision: BenchHelp.supervision
        case .demo: BenchHelp.demo
        }
    }
}
