// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CLinux
import Glibc

/// Bytes in a sealed memfd: written once, then passed to other processes, which can rely on its size and content.
package enum SharedMemory {
    /// Makes a memfd with these bytes and seals it (memfd_create(2), fcntl(2) F_ADD_SEALS).
    package static func make(name: String, bytes: UnsafeRawBufferPointer) throws(SystemError) -> FileDescriptor {
        let memory = FileDescriptor(
            owning: try SystemError.check(relight_memfd_create(name), "cannot make shared memory", name))
        var offset = 0
        while offset < bytes.count {
            guard let base = bytes.baseAddress else { break }
            let written = write(memory.raw, base + offset, bytes.count - offset)
            if written < 0 {
                if errno == EINTR { continue }
                throw SystemError(code: errno, action: "cannot write shared memory", subject: name)
            }
            offset += written
        }
        _ = try SystemError.check(relight_memfd_seal(memory.raw), "cannot seal shared memory", name)
        return memory
    }

    /// Sealed memory in this process's address space, for reading, for as long as the object lives.
    package final class Mapping {
        package let bytes: UnsafeRawBufferPointer

        fileprivate init(bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
        }

        deinit {
            // Fails only for an address that was never mapped (munmap(2)).
            munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
        }
    }

    /// Maps the first `size` bytes of a received descriptor without copying them. Memory that its sender could still
    /// change or shrink, and with that end this process by SIGBUS, is refused.
    package static func map(_ memory: FileDescriptor, size: Int) throws(SystemError) -> Mapping {
        let sealed = try SystemError.check(relight_memfd_is_sealed(memory.raw), "cannot examine shared memory")
        guard sealed == 1 else { throw SystemError(code: EPERM, action: "refused shared memory that is not sealed") }
        var information = stat()
        guard fstat(memory.raw, &information) == 0 else {
            throw SystemError(code: errno, action: "cannot examine shared memory")
        }
        guard size > 0, Int(information.st_size) >= size else {
            throw SystemError(
                code: EINVAL, action: "refused shared memory of \(information.st_size) bytes for \(size)")
        }
        guard let address = mmap(nil, size, PROT_READ, MAP_SHARED, memory.raw, 0), address != MAP_FAILED else {
            throw SystemError(code: errno, action: "cannot map shared memory")
        }
        return Mapping(bytes: UnsafeRawBufferPointer(start: address, count: size))
    }

    /// Reads a received descriptor that should hold exactly or at most `limit` bytes; never trusts what the sender says.
    package static func read(_ memory: FileDescriptor, limit: Int) throws(SystemError) -> [UInt8] {
        var information = stat()
        guard fstat(memory.raw, &information) == 0 else {
            throw SystemError(code: errno, action: "cannot examine shared memory")
        }
        let size = Int(information.st_size)
        guard size <= limit else { throw SystemError(code: EFBIG, action: "refused shared memory of \(size) bytes") }
        var bytes = [UInt8](repeating: 0, count: size)
        var offset = 0
        while offset < size {
            let count = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { pread(memory.raw, $0 + offset, size - offset, off_t(offset)) } ?? 0
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError(code: errno, action: "cannot read shared memory")
            }
            if count == 0 { break }
            offset += count
        }
        bytes.removeLast(size - offset)
        return bytes
    }
}
