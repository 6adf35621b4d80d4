// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Wire

/// Where relightd's control socket is.
package enum ControlSocket {
    /// The variable that overrules every default.
    package static let variable = "RELIGHT_SOCKET"
    /// The system service's socket.
    package static let system = "/run/relight/\(Control.socketName)"

    /// The socket to use when none is named: `$RELIGHT_SOCKET`, else the user service's in `$XDG_RUNTIME_DIR/relight`
    /// if it is there, else the system service's.
    package static func path() -> String {
        path(
            environment: { name in getenv(name).map { String(cString: $0) } },
            exists: { access($0, F_OK) == 0 })
    }

    static func path(environment: (String) -> String?, exists: (String) -> Bool) -> String {
        if let path = environment(variable), !path.isEmpty { return path }
        if let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty {
            let path = "\(directory)/relight/\(Control.socketName)"
            if exists(path) { return path }
        }
        return system
    }
}
