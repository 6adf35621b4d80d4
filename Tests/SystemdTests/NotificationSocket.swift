// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CLinux
import Glibc
import Platform
import TestSupport

/// The service manager's end of $NOTIFY_SOCKET.
struct NotificationSocket: Sendable {
    private let directory: TestDirectory
    private let socket: FileDescriptor

    var path: String { directory.path + "/notify" }

    init() throws {
        directory = try TestDirectory()
        socket = FileDescriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw SystemError(code: errno, action: "cannot bind", subject: path) }
    }

    /// The next message's text, and what came with it.
    func receive() throws -> (text: String, descriptors: [FileDescriptor]) {
        var request = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 30_000) == 1 else { throw SystemError(code: ETIMEDOUT, action: "no notification") }
        var bytes = [UInt8](repeating: 0, count: 4096)
        var fds = [Int32](repeating: -1, count: Int(RELIGHT_MAX_FDS))
        var count: Int32 = 0
        let size = try SystemError.check(
            relight_recv(socket.raw, &bytes, bytes.count, &fds, &count), "cannot receive a notification")
        return (
            String(decoding: bytes.prefix(size), as: UTF8.self),
            fds.prefix(Int(count)).map { FileDescriptor(owning: $0) }
        )
    }
}
