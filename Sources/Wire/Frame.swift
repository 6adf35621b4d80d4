// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The framing of both protocols: a JSON object ended by one NUL byte.
package enum Frame {
    package static let terminator: UInt8 = 0
    /// The largest frame accepted unless said otherwise: 32 MiB, room for a page state with large storage.
    package static let defaultLimit = 32 << 20
}

/// Why bytes are not a frame, or a frame is not a message.
package struct FrameError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        case tooLarge, malformed, unknownType, missingDescriptor
    }

    package let code: Code
    /// What was wrong and where, fit for a log; never holds values of the frame, which may be secret.
    package let description: String
    /// The outermost field to blame, where it is known.
    package let field: String?

    package init(_ code: Code, _ description: String, field: String? = nil) {
        self.code = code
        self.description = description
        self.field = field
    }
}

/// Cuts a stream of bytes into frames; bounded by its limit.
package struct FrameDecoder: Sendable {
    private let limit: Int
    private var buffer: [UInt8] = []
    /// Bytes before this index were returned; bytes before `scanned` are known to hold no terminator.
    private var start = 0
    private var scanned = 0

    package init(limit: Int = Frame.defaultLimit) {
        self.limit = limit
    }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.append(contentsOf: bytes)
    }

    /// Lets a read call write up to 64 KiB; `body` returns how many bytes it wrote, or a negative error.
    package mutating func withWriteBuffer(_ body: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        // Room of its own for each read: a supervisor with a thousand connections must not keep it for each of them.
        var written = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { memory, count in
            written = body(UnsafeMutableRawBufferPointer(memory))
            count = min(max(written, 0), memory.count)
        }
        buffer += chunk
        return written
    }

    /// The next complete frame without its terminator, or nil if more bytes are needed.
    package mutating func next() throws(FrameError) -> [UInt8]? {
        guard let end = buffer[scanned...].firstIndex(of: Frame.terminator) else {
            scanned = buffer.count
            if buffer.count - start > limit { throw tooLarge(buffer.count - start) }
            compact()
            return nil
        }
        if end - start > limit { throw tooLarge(end - start) }
        let frame = Array(buffer[start..<end])
        start = end + 1
        scanned = start
        if start == buffer.count { compact() }
        return frame
    }

    private func tooLarge(_ size: Int) -> FrameError {
        FrameError(.tooLarge, "a frame of \(size) bytes or more is larger than the limit of \(limit) bytes")
    }

    private mutating func compact() {
        guard start > 0 else { return }
        if start == buffer.count {
            // Gives back what a large frame needed.
            buffer = []
        } else {
            buffer.removeFirst(start)
        }
        scanned -= start
        start = 0
    }
}
