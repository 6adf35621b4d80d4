// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import GTKSupport
import Platform
import Wire

/// Pixels on their way out of this process.
enum Pictures {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The pixels of a GdkTexture, premultiplied BGRA, in a sealed memfd.
    static func pixels(of texture: Owned, slot: Int) throws -> (HostMessage.Picture, FileDescriptor) {
        let width = Int(gdk_texture_get_width(texture.opaque))
        let height = Int(gdk_texture_get_height(texture.opaque))
        let stride = width * 4
        var bytes = [UInt8](repeating: 0, count: stride * height)
        // GDK gives CAIRO_FORMAT_ARGB32, which is BGRA in memory on little-endian machines, all that Linux kiosks are.
        gdk_texture_download(texture.opaque, &bytes, UInt(stride))
        let memory = try bytes.withUnsafeBytes { try SharedMemory.make(name: "relight-picture", bytes: $0) }
        return (HostMessage.Picture(slot: slot, width: width, height: height, stride: stride), memory)
    }

    /// A GdkTexture as PNG in a sealed memfd.
    static func png(of texture: Owned) throws -> FileDescriptor {
        guard let png = gdk_texture_save_to_png_bytes(texture.opaque) else {
            throw Failure(description: "the picture cannot be written as PNG")
        }
        defer { g_bytes_unref(png) }
        var size: UInt = 0
        let start = g_bytes_get_data(png, &size)
        return try SharedMemory.make(
            name: "relight-screenshot", bytes: UnsafeRawBufferPointer(start: start, count: Int(size)))
    }
}
#endif
