// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform

/// A private X server without a screen, whose frame buffer is a file that can be mapped.
package final class XvfbServer: Sendable {
    /// Such as ":99".
    package let display: String
    package let width: Int
    package let height: Int
    /// The frame buffer, in XWD form.
    package let frameBufferPath: String
    private let process: RunningProcess

    /// Starts Xvfb and waits until it takes connections.
    ///
    /// - Throws: `BenchError` if Xvfb is missing or does not come up.
    package init(scratch: ScratchDirectory, width: Int = 800, height: Int = 600) throws {
        guard let path = Executables.search("Xvfb") else {
            throw BenchError("Xvfb is not installed", remedy: "Scripts/setup installs it")
        }
        let directory = try scratch.directory("xvfb")
        let (reader, writer) = try UnixSocket.pair()
        let log = directory + "/log"
        process = try RunningProcess(
            path: path,
            arguments: [
                "-displayfd", "3", "-screen", "0", "\(width)x\(height)x24", "-fbdir", directory, "-nolisten", "tcp",
                "-noreset",
            ], log: log, passing: writer)
        let process = process
        let number = MonotonicClock.poll(timeout: 20_000_000) { () -> String? in
            Self.readLine(reader) ?? (process.isRunning ? nil : "")
        }
        guard let number, let value = Int(number) else {
            throw BenchError("Xvfb did not come up", remedy: "see \(log)")
        }
        display = ":\(value)"
        self.width = width
        self.height = height
        frameBufferPath = directory + "/Xvfb_screen0"
    }

    package func stop() { process.stop() }

    /// The line that has come so far, or nil.
    private static func readLine(_ socket: FileDescriptor) -> String? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = recv(socket.raw, &bytes, bytes.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        guard count > 0, let end = bytes.prefix(count).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
