// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform

/// The screen of an Xvfb as its frame buffer file shows it at this moment (XWD version 7, TrueColor, 32 bits a pixel).
///
/// The X server writes while others read, so that a look may fall between two frames; any thread may look.
package final class FrameBuffer: PixelSource, Sendable {
    package let width: Int
    package let height: Int
    private let mapping: Mapping
    private let pixelOffset: Int
    private let bytesPerLine: Int
    private let red: (shift: UInt32, byte: Int)
    private let green: (shift: UInt32, byte: Int)
    private let blue: (shift: UInt32, byte: Int)

    /// Maps the file that Xvfb's `-fbdir` makes.
    ///
    /// - Throws: `SystemError` if it cannot be mapped, `BenchError` if it has another form.
    package init(path: String) throws {
        let mapping = try Mapping(path: path)
        self.mapping = mapping
        guard mapping.size >= 100 else { throw BenchError("\(path) is too short for an XWD header") }
        let header = (0..<25).map { mapping.bigEndianWord(at: $0 * 4) }
        guard header[1] == 7, header[2] == 2, header[11] == 32, header[13] == 4 || header[13] == 5 else {
            throw BenchError(
                "\(path) is not a 32 bit TrueColor XWD file", remedy: "Xvfb has to run with -screen 0 WxHx24")
        }
        width = Int(header[4])
        height = Int(header[5])
        bytesPerLine = Int(header[12])
        pixelOffset = Int(header[0]) + Int(header[19]) * 12
        let isLittleEndian = header[7] == 0
        func channel(_ mask: UInt32) -> (shift: UInt32, byte: Int) {
            let shift = UInt32(mask.trailingZeroBitCount)
            return (shift, isLittleEndian ? Int(shift / 8) : 3 - Int(shift / 8))
        }
        (red, green, blue) = (channel(header[14]), channel(header[15]), channel(header[16]))
        guard [red, green, blue].allSatisfy({ $0.shift % 8 == 0 && $0.shift < 32 }),
            bytesPerLine >= width * 4, pixelOffset + bytesPerLine * height <= mapping.size
        else { throw BenchError("\(path) has a header that does not fit its size") }
    }

    package func colour(x: Int, y: Int) -> PageBand.Colour {
        let offset = pixelOffset + y * bytesPerLine + x * 4
        return PageBand.Colour(
            mapping.byte(at: offset + red.byte), mapping.byte(at: offset + green.byte),
            mapping.byte(at: offset + blue.byte))
    }
}

/// A read-only shared mapping of a whole file.
private final class Mapping: Sendable {
    /// Never written through, and unmapped only when the last reader is gone, so that sharing it between threads is
    /// safe; that its bytes change under a reader is what it is for.
    private nonisolated(unsafe) let base: UnsafeRawPointer
    let size: Int

    init(path: String) throws(SystemError) {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { throw SystemError(code: errno, action: "cannot open", subject: path) }
        defer { close(fd) }
        var information = stat()
        guard fstat(fd, &information) == 0, information.st_size > 0 else {
            throw SystemError(code: ENODATA, action: "cannot map", subject: path)
        }
        size = Int(information.st_size)
        guard let mapped = mmap(nil, size, PROT_READ, MAP_SHARED, fd, 0), mapped != MAP_FAILED else {
            throw SystemError(code: errno, action: "cannot map", subject: path)
        }
        base = UnsafeRawPointer(mapped)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: base), size) }

    func byte(at offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }

    func bigEndianWord(at offset: Int) -> UInt32 {
        UInt32(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
