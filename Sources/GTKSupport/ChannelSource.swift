// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
package import HostKit
package import Wire
package import Platform
import CGTK
import Glibc

/// Runs a host's channel in GLib's main loop.
package final class ChannelSource {
    package let channel: HostChannel
    private let handle: (HostChannel.Incoming) -> Void
    private let end: (String?) -> Void
    private var reading: LoopSource?
    private var writing: LoopSource?

    /// - Parameters:
    ///   - channel: to relightd.
    ///   - handle: called for each message.
    ///   - end: called once when relightd is gone, with the reason if it is an error.
    package init(
        channel: HostChannel, handle: @escaping (HostChannel.Incoming) -> Void, end: @escaping (String?) -> Void
    ) {
        self.channel = channel
        self.handle = handle
        self.end = end
        reading = .descriptor(channel.fd, [.readable, .broken]) { [weak self] _ in self?.receive() ?? false }
    }

    private func receive() -> Bool {
        do {
            for message in try channel.process() { handle(message) }
        } catch {
            end("\(error)")
            return false
        }
        guard channel.isOver else { return true }
        end(nil)
        return false
    }

    package func send(_ message: HostMessage, descriptors: [FileDescriptor] = []) {
        channel.send(message, descriptors: descriptors)
        guard channel.wantsToWrite, writing == nil else { return }
        writing = .descriptor(channel.fd, [.writable, .broken]) { [weak self] _ in
            guard let self else { return false }
            channel.flush()
            if channel.wantsToWrite { return true }
            writing = nil
            return false
        }
    }
}
#endif
