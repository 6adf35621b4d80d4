// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import HostKit
import Wire
import Glibc

/// What breaks the protocol.
extension FakeHost {
    /// The first words, right or wrong.
    func start() {
        if let status = script.number(.exitAtStart) { exit(Int32(status)) }
        if script.has(.closeAtStart) {
            shutdown(channel.fd, Int32(SHUT_RDWR))
            while true { pause() }
        }
        if script.has(.speakFirst) { channel.send(.pong(.init(sequence: 1))) }
        if script.has(.noHello) { return }
        after(script.time(.slowHello)) { [unowned self] in
            sayHello()
            if script.has(.helloTwice) { sayHello() }
            if script.has(.garbage) { sendGarbage() }
            if script.has(.unknownMessage) { sendUnknown() }
            if script.has(.missingDescriptor) { sendWithoutDescriptor() }
            if script.has(.hugeFrame) { sendHuge() }
        }
    }

    private func sayHello() {
        let version = script.number(.version) ?? RendererProtocol.version
        channel.send(.hello(.init(protocolVersion: version, renderer: "fake", version: "1", pid: getpid())))
    }

    func sendGarbage() { sendRaw(Array("this is no JSON".utf8) + [Frame.terminator]) }

    func sendUnknown() { sendRaw(Array(#"{"type":"dance"}"#.utf8) + [Frame.terminator]) }

    func sendWithoutDescriptor() { channel.send(.reply(.init(id: 0, hasDescriptor: true))) }

    /// One byte more than a frame may have, without an end.
    func sendHuge() {
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        for _ in 0...(Frame.defaultLimit >> 20) {
            guard sendRaw(piece) else { return }
        }
    }

    /// Never answers anything any more.
    func hang() {
        while true { pause() }
    }

    @discardableResult
    private func sendRaw(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(channel.fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: channel.fd, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
