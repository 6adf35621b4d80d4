// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import CSystemd
internal import Glibc

/// The descriptors that the service manager hands over: sockets of socket units, and what the fd store kept.
package enum SocketActivation {
    package struct Descriptor: Sendable, Equatable {
        /// Close-on-exec, and the caller's from now on.
        package let descriptor: Int32
        /// FileDescriptorName= of the socket unit, or the FDNAME it was stored under.
        package let name: String

        package init(descriptor: Int32, name: String) {
            self.descriptor = descriptor
            self.name = name
        }
    }

    /// Takes the descriptors, once: the variables that announce them are removed from the environment, so that children do
    /// not believe they are theirs. Call it before any thread is started.
    package static func take() throws(SystemdError) -> [Descriptor] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count >= 0 else { throw SystemdError("take the service manager's descriptors", errno: -count) }
        guard let names else { return [] }
        defer { free(names) }
        var result: [Descriptor] = []
        for index in 0..<Int(count) {
            guard let name = names[index] else { break }
            result.append(Descriptor(descriptor: SD_LISTEN_FDS_START + Int32(index), name: String(cString: name)))
            free(name)
        }
        return result
    }
}
