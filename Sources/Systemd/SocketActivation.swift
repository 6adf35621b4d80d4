// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

internal import CLinux
internal import CSystemd
internal import Glibc
package import Platform

/// The descriptors that the service manager hands over: sockets of socket units, and what the fd store kept.
package enum SocketActivation {
    package struct Descriptor: Sendable {
        /// Close-on-exec and non-blocking.
        package let descriptor: FileDescriptor
        /// FileDescriptorName= of the socket unit, or the FDNAME it was stored under.
        package let name: String

        package init(descriptor: FileDescriptor, name: String) {
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
            let descriptor = FileDescriptor(owning: SD_LISTEN_FDS_START + Int32(index))
            // The service manager hands its sockets over blocking, unless the unit says NonBlocking=: an accept(2) more
            // than there are callers would stop the loop.
            let status = relight_set_nonblocking(descriptor.raw)
            guard status >= 0 else { throw SystemdError("use the service manager's descriptor", errno: -status) }
            result.append(Descriptor(descriptor: descriptor, name: String(cString: name)))
            free(name)
        }
        return result
    }
}
