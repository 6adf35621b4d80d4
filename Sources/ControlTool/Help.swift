// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// What `--help` prints.
enum Help {
    static func overview(_ commands: [Command]) -> String {
        var text = """
            relightctl shows and drives relightd, which keeps web pages on screen and logged in.

            usage: relightctl [OPTION…] COMMAND [ARGUMENT…]

            commands:

            """
        text += rows(
            commands.map {
                ([$0.name, $0.arguments, $0.needed].filter { !$0.isEmpty }.joined(separator: " "), $0.summary)
            })
        text += "\noptions, before or after the command:\n"
        let version = Option("--version", "print the version")
        text += rows((Invocation.globalOptions + [version]).map { ($0.synopsis, $0.help) })
        text += "\nexit status:\n"
        text += rows(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })
        text += """

            The socket is --socket, else $RELIGHT_SOCKET, else $XDG_RUNTIME_DIR/relight/io.relight if that
            exists, else /run/relight/io.relight. 'relightctl COMMAND --help' says more about a command.

            """
        return text
    }

    static func page(_ command: Command) -> String {
        var text =
            "usage: \(command.usage)\n\n\(command.summary.prefix(1).uppercased())\(command.summary.dropFirst()).\n"
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        text += "\noptions:\n" + rows((command.options + Invocation.globalOptions).map { ($0.synopsis, $0.help) })
        if !command.examples.isEmpty {
            text += "\nexamples:\n" + command.examples.map { "  \($0.line)\n      \($0.meaning)\n" }.joined()
        }
        return text
    }

    private static func rows(_ rows: [(String, String)]) -> String {
        let width = rows.map { Text.width($0.0) }.max() ?? 0
        return rows.map { "  \(Text.pad($0.0, to: width))  \($0.1)\n" }.joined()
    }
}
