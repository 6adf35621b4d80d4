// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
package import Platform
package import Wire

/// Pictures of the renderer protocol as GDK textures.
package enum Textures {
    package struct Refusal: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// No screen is larger: 16384 pixels each way.
    private static let largestSide = 1 << 14

    /// A texture that shows the memory itself, without a copy of the pixels.
    ///
    /// - Parameters:
    ///   - frame: what the memory holds; nothing in it is believed before it is checked.
    ///   - memory: a sealed memfd.
    /// - Returns: a GdkTexture.
    /// - Throws: `Refusal`, or `SystemError` if the memory is not as it should be.
    package static func texture(of frame: HostMessage.Picture, _ memory: FileDescriptor) throws -> Owned {
        guard frame.format == HostMessage.Picture.format else {
            throw Refusal(description: "its format is not \(HostMessage.Picture.format)")
        }
        guard (1...largestSide).contains(frame.width), (1...largestSide).contains(frame.height),
            frame.stride >= frame.width * 4, frame.stride <= largestSide * 8
        else { throw Refusal(description: "\(frame.width) x \(frame.height), stride \(frame.stride), is no picture") }
        let size = frame.stride * frame.height
        let mapping = try SharedMemory.map(memory, size: size)
        let data = Unmanaged.passRetained(mapping).toOpaque()
        let bytes = g_bytes_new_with_free_func(
            mapping.bytes.baseAddress, UInt(size),
            { data in
                if let data { Unmanaged<SharedMemory.Mapping>.fromOpaque(data).release() }
            }, data)
        defer { g_bytes_unref(bytes) }
        guard
            let texture = gdk_memory_texture_new(
                Int32(frame.width), Int32(frame.height), GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes, UInt(frame.stride))
        else { throw Refusal(description: "GTK makes no picture of it") }
        return Owned(taking: UnsafeMutableRawPointer(texture))
    }
}
#endif
