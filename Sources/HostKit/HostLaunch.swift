// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Platform
import Wire
import Glibc

/// Why a host cannot start: it was not started by relightd, or not as the renderer protocol says.
package struct HostLaunchError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

/// How a host process begins.
package enum HostLaunch {
    /// sysexits(3) EX_USAGE: started without the socket of the renderer protocol.
    package static let usageExitCode: Int32 = 64
    /// sysexits(3) EX_UNAVAILABLE: this build has no such engine, or there is no display for it.
    package static let unavailableExitCode: Int32 = 69

    /// Takes the socket that `RELIGHT_SOCKET_FD` names, or prints why it cannot and exits with 64. Call it first, while
    /// there is one thread.
    package static func channelOrExit(program: String) -> HostChannel {
        // The supervisor may die while we write to it or to the journal; that is an error code, not our death.
        signal(SIGPIPE, SIG_IGN)
        do {
            return HostChannel(
                socket: try inheritedSocket(getenv(RendererProtocol.socketVariable).map { String(cString: $0) }))
        } catch {
            exit(program: program, code: usageExitCode, error.description)
        }
    }

    /// Prints `text` on standard error and exits.
    package static func exit(program: String, code: Int32, _ text: String) -> Never {
        complain(program: program, text)
        Glibc.exit(code)
    }

    /// Prints a line on standard error; for what happens when there is nobody else to tell.
    package static func complain(program: String, _ text: String) {
        let line = Array("\(program): \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    /// Owns the inherited socket, so that no process of the engine gets it: it is moved to a close-on-exec descriptor
    /// and the variable is removed.
    package static func inheritedSocket(_ value: String?) throws(HostLaunchError) -> FileDescriptor {
        let name = RendererProtocol.socketVariable
        guard let value else {
            throw HostLaunchError(description: "\(name) is not set; this program is started by relightd, not by hand")
        }
        guard let number = Int32(value), number >= 0 else {
            throw HostLaunchError(description: "\(name) is '\(value.prefix(32))', not the number of a descriptor")
        }
        var type: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else {
            let reason = SystemError.text(of: errno)
            throw HostLaunchError(description: "\(name) names descriptor \(number), which is no socket: \(reason)")
        }
        guard type == Int32(SOCK_STREAM.rawValue) else {
            throw HostLaunchError(description: "\(name) names descriptor \(number), which is no stream socket")
        }
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else {
            let reason = SystemError.text(of: errno)
            throw HostLaunchError(description: "descriptor \(number) cannot be made non-blocking: \(reason)")
        }
        let inherited = FileDescriptor(owning: number)
        do {
            let socket = try inherited.duplicate()
            unsetenv(name)
            return socket
        } catch {
            throw HostLaunchError(description: error.description)
        }
    }
}

/// How a host process ends.
package enum HostStop {
    /// Seconds in which a host must be gone after `stop`, or after relightd has gone.
    package static let limit: UInt32 = 2

    /// Call it when the host begins to stop: should that hang, SIGALRM ends the process after `limit` seconds.
    package static func armDeadline() {
        signal(SIGALRM, SIG_DFL)
        alarm(limit)
    }
}
