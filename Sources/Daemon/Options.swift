// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import ConfigurationFiles
import Glibc
import Wire

/// What the command line and the environment decide.
package struct Options: Sendable, Equatable {
    package var configurationDirectory: String
    package var stateDirectory: String?
    package var runtimeDirectory: String?
    /// Where the hosts' executables are.
    package var libraryDirectory: String

    package enum Outcome: Sendable, Equatable {
        case run(Options)
        /// Print this and end with status 0.
        case print(String)
        /// Print this to stderr and end with status 64 (EX_USAGE).
        case misuse(String)
    }

    package static let help = """
        Usage: relightd [--config DIR] [--state DIR] [--runtime DIR] [--hosts DIR]

        Keeps web pages on screen and logged in. Usually started by systemd; in a terminal it runs in
        the foreground and logs to stderr.

          --config DIR    configuration (default: /etc/relight, or $XDG_CONFIG_HOME/relight for a user)
          --state DIR     snapshots and the pools' data (default: $STATE_DIRECTORY, else /var/lib/relight
                          for root, else $XDG_STATE_HOME/relight)
          --runtime DIR   control socket (default: $RUNTIME_DIRECTORY, else /run/relight for root, else
                          $XDG_RUNTIME_DIR/relight)
          --hosts DIR     where relight-webkit and the other hosts are (default: beside relightd)
          --version       print the version
          --help          print this

        Signals: SIGTERM and SIGINT stop it in order, SIGHUP reads the configuration again.

        Examples:
          relightd --config ./etc --state /tmp/state --runtime /tmp/run
          systemctl reload relightd

        """

    /// Reads the command line; `arguments` come without the program's name.
    package static func parse(
        _ arguments: [String], environment: [String: String], isRoot: Bool, executableDirectory: String
    ) -> Outcome {
        // systemd gives a list when a unit names several; the first is ours.
        func given(_ variable: String) -> String? {
            environment[variable]?.split(separator: ":").first.map(String.init)
        }
        var options = Options(
            configurationDirectory: ConfigurationDirectory.standard({ environment[$0] }, isRoot: isRoot),
            stateDirectory: given("STATE_DIRECTORY"), runtimeDirectory: given("RUNTIME_DIRECTORY"),
            libraryDirectory: executableDirectory)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            func value() -> String? { parts.count == 2 ? parts[1] : rest.popFirst() }
            switch parts.first ?? "" {
            case "--help", "-h": return .print(help)
            case "--version": return .print("relightd \(Release.version)\n")
            case "--config", "--state", "--runtime", "--hosts":
                guard let path = value(), !path.isEmpty else {
                    return .misuse("relightd: \(parts[0]) needs a directory; see relightd --help\n")
                }
                switch parts[0] {
                case "--config": options.configurationDirectory = path
                case "--state": options.stateDirectory = path
                case "--runtime": options.runtimeDirectory = path
                default: options.libraryDirectory = path
                }
            default:
                return .misuse("relightd: there is no option '\(argument)'; see relightd --help\n")
            }
        }
        return .run(options)
    }

    /// Where things go when neither the command line, systemd nor relight.conf says.
    package static func fallbackDirectory(
        state: Bool, environment: [String: String], isRoot: Bool
    ) -> String {
        if isRoot { return state ? "/var/lib/relight" : "/run/relight" }
        let home = environment["HOME"] ?? "/"
        if state { return (environment["XDG_STATE_HOME"] ?? home + "/.local/state") + "/relight" }
        return (environment["XDG_RUNTIME_DIR"] ?? "/run/user/\(geteuid())") + "/relight"
    }
}
