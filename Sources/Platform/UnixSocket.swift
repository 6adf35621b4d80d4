// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CLinux
import Glibc

/// Unix stream sockets (unix(7)): close-on-exec, non-blocking, with descriptor passing.
package enum UnixSocket {
    /// The process at the other end (SO_PEERCRED), as it was when it connected.
    package struct Peer: Sendable, Equatable {
        package let pid: Int32
        package let uid: UInt32
        package let gid: UInt32
    }

    /// The most descriptors that one message can carry.
    package static let maximumDescriptors = Int(RELIGHT_MAX_FDS)

    package static func pair() throws(SystemError) -> (FileDescriptor, FileDescriptor) {
        var fds: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutablePointer(to: &fds) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { relight_socketpair($0) }
        }
        _ = try SystemError.check(result, "cannot make a socket pair")
        return (FileDescriptor(owning: fds.0), FileDescriptor(owning: fds.1))
    }

    /// Binds and listens; a socket file left by a dead process must be removed by the caller, who knows that it is dead.
    package static func listen(at path: String, mode: UInt32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try SystemError.check(relight_unix_listen(path, mode), "cannot listen on", path))
    }

    package static func connect(to path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try SystemError.check(relight_unix_connect(path), "cannot connect to", path))
    }

    /// The next waiting connection, or nil if there is none just now.
    package static func accept(on listener: FileDescriptor) throws(SystemError) -> FileDescriptor? {
        let fd = relight_accept(listener.raw)
        // A client that gave up while it waited is no failure of the listener (accept(2)).
        if fd == -EAGAIN || fd == -ECONNABORTED { return nil }
        return FileDescriptor(owning: try SystemError.check(fd, "cannot accept a connection"))
    }

    package static func peer(of socket: FileDescriptor) throws(SystemError) -> Peer {
        var peer = relight_peer()
        _ = try SystemError.check(relight_peer_credentials(socket.raw, &peer), "cannot tell who connected")
        return Peer(pid: peer.pid, uid: peer.uid, gid: peer.gid)
    }
}
