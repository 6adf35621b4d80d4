// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Writes a picture as PNG (ISO/IEC 15948) without compressing it, so that no library is needed.
package enum PNG {
    package static func encode(_ bitmap: Bitmap) -> [UInt8] {
        var raw: [UInt8] = []
        raw.reserveCapacity((bitmap.width * 3 + 1) * bitmap.height)
        for y in 0..<bitmap.height {
            raw.append(0)
            for pixel in bitmap.pixels[(y * bitmap.width)..<((y + 1) * bitmap.width)] {
                raw.append(pixel.red)
                raw.append(pixel.green)
                raw.append(pixel.blue)
            }
        }
        let header = bigEndian(UInt32(bitmap.width)) + bigEndian(UInt32(bitmap.height)) + [8, 2, 0, 0, 0]
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", header)
            + chunk("IDAT", zlibStored(raw)) + chunk("IEND", [])
    }

    /// A zlib stream of stored blocks (RFC 1950, RFC 1951).
    private static func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        result.reserveCapacity(bytes.count + bytes.count / 6000 + 16)
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let length = UInt16(end - start)
            result.append(end == bytes.count ? 1 : 0)
            result.append(contentsOf: [UInt8(length & 255), UInt8(length >> 8)])
            result.append(contentsOf: [UInt8(~length & 255), UInt8(~length >> 8)])
            result.append(contentsOf: bytes[start..<end])
            start = end
        } while start < bytes.count
        var a: UInt32 = 1
        var b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return result + bigEndian(b << 16 | a)
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(checksum(body))
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
    }

    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xffff_ffff) { table[Int(($0 ^ UInt32($1)) & 255)] ^ ($0 >> 8) }
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
