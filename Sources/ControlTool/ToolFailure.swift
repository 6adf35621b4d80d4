// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import RelightKit
import Wire

/// What relightctl's exit status says. Documented in Docs/relightctl.md and in `relightctl --help`.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// relightd answered that it could not do it.
    case failed = 1
    /// The command line is wrong.
    case usage = 2
    /// relightd does not run, may not be talked to, or did not answer.
    case unreachable = 3
    /// `check` found errors.
    case invalidConfiguration = 4
    /// A file here could not be read or written.
    case local = 5

    var meaning: String {
        switch self {
        case .success: "done"
        case .failed: "relightd could not do it, and said why"
        case .usage: "the command line is wrong"
        case .unreachable: "relightd cannot be reached, or did not answer"
        case .invalidConfiguration: "'check' found errors"
        case .local: "a file on this side cannot be read or written"
        }
    }
}

/// Why a command ends without success.
struct ToolFailure: Error, Equatable {
    var exit: ExitCode
    /// Stable, for scripts: an error of the control protocol, or one of relightctl's own.
    var name: String
    var message: String
    /// What to do next.
    var remedy: String

    static func usage(_ message: String, _ remedy: String) -> ToolFailure {
        ToolFailure(exit: .usage, name: "usage", message: message, remedy: remedy)
    }

    static func local(_ message: String, _ remedy: String) -> ToolFailure {
        ToolFailure(exit: .local, name: "local", message: message, remedy: remedy)
    }

    init(exit: ExitCode, name: String, message: String, remedy: String) {
        self.exit = exit
        self.name = name
        self.message = message
        self.remedy = remedy
    }

    init(_ error: ControlError) {
        message = error.message
        remedy = error.remedy
        switch error.code {
        case .failure(let failure): (exit, name) = (.failed, failure.qualified)
        case .refused(let failure): (exit, name) = (.failed, "\(Varlink.serviceInterface).\(failure)")
        case .unreachable: (exit, name) = (.unreachable, "unreachable")
        case .timedOut: (exit, name) = (.unreachable, "timedOut")
        case .disconnected: (exit, name) = (.unreachable, "disconnected")
        case .badReply: (exit, name) = (.unreachable, "badReply")
        }
    }

    /// As `--json` prints it on standard error.
    var json: JSONValue {
        .object(["error": .string(name), "message": .string(message), "remedy": .string(remedy)])
    }
}
