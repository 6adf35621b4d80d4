// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Wire
import Glibc
import Platform
import Transport

/// Why relightd did not do what it was asked to, and what can be done about it. Equal if the codes are.
package struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// relightd said no.
        case failure(Control.Failure)
        /// relightd did not understand: the unqualified error of `org.varlink.service`.
        case refused(String)
        /// There is no socket, nobody listens on it, or it may not be used.
        case unreachable
        /// No answer came in time.
        case timedOut
        /// relightd hung up before it answered.
        case disconnected
        /// What came is not an answer to the call.
        case badReply
    }

    package let code: Code
    /// What went wrong, for a person.
    package let message: String
    /// What to do about it, for a person; empty if there is nothing to say.
    package let remedy: String

    package init(_ code: Code, _ message: String, remedy: String = "") {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    package var description: String { remedy.isEmpty ? message : "\(message); \(remedy)" }

    package static func == (a: ControlError, b: ControlError) -> Bool { a.code == b.code }
}

extension ControlError {
    /// What a reply's error means to the caller of `method`.
    init(reply: Varlink.Reply, name: String, method: String) {
        let detail = try? reply.parameters?.decoded(as: Control.FailureDetail.self)
        if let failure = Control.Failure.allCases.first(where: { $0.qualified == name }) {
            self.init(.failure(failure), detail?.message ?? "\(failure)", remedy: detail?.remedy ?? "")
            return
        }
        let short = name.split(separator: ".").last.map(String.init) ?? name
        switch short {
        case "InvalidParameter":
            let parameter = reply.parameters?["parameter"]?.string ?? "?"
            self.init(
                .refused(short), "relightd does not accept the parameter '\(parameter)' of \(method)",
                remedy: Self.versions)
        case "MethodNotFound", "MethodNotImplemented":
            self.init(.refused(short), "relightd does not offer \(method)", remedy: Self.versions)
        case "InterfaceNotFound":
            self.init(.refused(short), "what listens there is not relightd", remedy: "name its socket with --socket")
        default: self.init(.refused(short), "relightd answered \(method) with \(name)", remedy: Self.versions)
        }
    }

    private static let versions = "perhaps it is of another version than this program: see 'relightctl status'"

    /// What a failed connect(2) to `path` means.
    init(connecting path: String, _ error: SystemError) {
        let start = "see 'systemctl status relightd' (in a kiosk session: 'systemctl --user status relightd'), or name "
        let another = "another socket with --socket or RELIGHT_SOCKET"
        switch error.code {
        case ENOENT, ENOTDIR:
            self.init(
                .unreachable, "there is no control socket \(path): relightd does not run", remedy: start + another)
        case ECONNREFUSED:
            self.init(
                .unreachable, "nobody listens on \(path): relightd ended and left the socket", remedy: start + another)
        case EACCES, EPERM:
            self.init(
                .unreachable, "\(path) may not be used by this user",
                remedy: "run this as root, as the user that relightd runs as, or as a member of its group")
        default: self.init(.unreachable, error.description, remedy: "name " + another)
        }
    }

    /// What a failure in the middle of a connection means.
    init(_ failure: FramedConnection.Failure, method: String) {
        switch failure {
        case .frame(let error):
            self.init(.badReply, "relightd's answer to \(method) cannot be read: \(error.description)")
        default: self.init(.disconnected, "\(method) failed: \(failure.description)")
        }
    }

    static func hungUp(_ method: String) -> ControlError {
        ControlError(
            .disconnected, "relightd hung up before it answered \(method)",
            remedy: "see 'journalctl -u relightd -n 20' for the reason")
    }

    static func late(_ method: String, _ timeout: Duration) -> ControlError {
        ControlError(
            .timedOut, "relightd did not answer \(method) within \(timeout.components.seconds) s",
            remedy: "see 'systemctl status relightd' and 'journalctl -u relightd -n 20'")
    }
}
