// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Platform
package import Wire
import CLinux
import Glibc

/// One Unix stream socket that carries frames (Wire) and descriptors, for either end of either protocol.
///
/// Used on one thread only, the one whose loop watches `socket`. Nothing here blocks: what cannot be sent at once waits
/// in a bounded queue until `flush()` is called again on writability.
package final class FramedConnection {
    package struct Received {
        package let frame: [UInt8]
        /// The descriptors that came with the bytes read so far and that no earlier frame took.
        package let descriptors: DescriptorQueue
    }

    package enum Failure: Error, CustomStringConvertible {
        case system(SystemError)
        case frame(FrameError)
        /// The peer reads too slowly: this many bytes were waiting.
        case queueFull(bytes: Int)
        case tooManyDescriptors

        package var description: String {
            switch self {
            case .system(let error): error.description
            case .frame(let error): error.description
            case .queueFull(let bytes): "the peer does not read: \(bytes) bytes are waiting, no more are kept"
            case .tooManyDescriptors: "the peer sent more descriptors than its frames account for"
            }
        }
    }

    package let socket: FileDescriptor
    /// True once the peer has closed its end.
    package private(set) var isAtEnd = false
    private var decoder: FrameDecoder
    private let descriptors = DescriptorQueue()
    private var outgoing: [(bytes: [UInt8], descriptors: [FileDescriptor])] = []
    private var sentOfFirst = 0
    /// Bytes that wait for the socket to take them.
    package private(set) var queuedBytes = 0
    private let queueLimit: Int

    /// - Parameters:
    ///   - socket: non-blocking.
    ///   - frameLimit: the largest frame accepted, in bytes.
    ///   - queueLimit: the most bytes that may wait to be sent.
    package init(socket: FileDescriptor, frameLimit: Int = Frame.defaultLimit, queueLimit: Int = 64 << 20) {
        self.socket = socket
        self.decoder = FrameDecoder(limit: frameLimit)
        self.queueLimit = queueLimit
    }

    /// Reads what is there, up to about 1 MiB, so that one talkative peer cannot starve a loop; the rest comes with the
    /// next call. Returns the complete frames.
    package func receive() throws(Failure) -> [Received] {
        var frames: [Received] = []
        var total = 0
        while total < 1 << 20 {
            var count = 0
            do {
                count = try receiveOnce()
            } catch let error where error.code == EAGAIN {
                break
            } catch let error where error.code == ECONNRESET {
                isAtEnd = true
                break
            } catch {
                throw .system(error)
            }
            if count == 0 {
                isAtEnd = true
                break
            }
            total += count
            guard descriptors.count <= 64 else { throw .tooManyDescriptors }
        }
        do {
            while let frame = try decoder.next() {
                frames.append(Received(frame: frame, descriptors: descriptors))
            }
        } catch {
            throw .frame(error)
        }
        return frames
    }

    private func receiveOnce() throws(SystemError) -> Int {
        var fds = [Int32](repeating: -1, count: UnixSocket.maximumDescriptors)
        var fdCount: Int32 = 0
        let socket = self.socket.raw
        let result = decoder.withWriteBuffer { buffer in
            relight_recv(socket, buffer.baseAddress, buffer.count, &fds, &fdCount)
        }
        for fd in fds.prefix(Int(fdCount)) { descriptors.append(FileDescriptor(owning: fd)) }
        return Int(try SystemError.check(result, "cannot receive"))
    }

    /// Queues one frame (without its NUL) and sends what the socket takes.
    package func send(_ frame: [UInt8], descriptors: [FileDescriptor] = []) throws(Failure) {
        guard queuedBytes + frame.count + 1 <= queueLimit else { throw .queueFull(bytes: queuedBytes) }
        outgoing.append((frame + [Frame.terminator], descriptors))
        queuedBytes += frame.count + 1
        try flush()
    }

    /// True while frames wait for the socket to become writable.
    package var wantsToWrite: Bool { !outgoing.isEmpty }

    /// Sends what the socket takes just now.
    package func flush() throws(Failure) {
        var done = 0
        defer { outgoing.removeFirst(done) }
        while done < outgoing.count {
            let (bytes, descriptors) = outgoing[done]
            let fds = sentOfFirst == 0 ? descriptors.map(\.raw) : []
            let sent = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map {
                    relight_send(socket.raw, $0 + sentOfFirst, buffer.count - sentOfFirst, fds, Int32(fds.count))
                } ?? 0
            }
            if sent == -Int(EAGAIN) { return }
            if sent < 0 {
                throw .system(SystemError(code: Int32(-sent), action: "cannot send"))
            }
            sentOfFirst += sent
            queuedBytes -= sent
            if sentOfFirst == bytes.count {
                done += 1
                sentOfFirst = 0
            }
        }
    }
}

/// Received descriptors, in order of arrival; each message takes as many as it says it carries.
package final class DescriptorQueue {
    private var waiting: [FileDescriptor] = []

    package var count: Int { waiting.count }

    func append(_ descriptor: FileDescriptor) { waiting.append(descriptor) }

    /// The next descriptors, or nil if fewer than that many came.
    package func take(_ count: Int) -> [FileDescriptor]? {
        guard count <= waiting.count else { return nil }
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }
}
