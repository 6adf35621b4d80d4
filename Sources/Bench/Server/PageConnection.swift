// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform

/// One client of the page server. Used on the server's thread only.
final class PageConnection {
    private enum Reply {
        case sending(closesAfter: Bool)
        case waiting([UInt8], closesAfter: Bool, until: UInt64)
        case never
    }

    let socket: FileDescriptor
    private var incoming: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var sent = 0
    private var pending: Reply?
    private(set) var isClosed = false

    init(socket: FileDescriptor) { self.socket = socket }

    var wantsToWrite: Bool { sent < outgoing.count }
    /// False while an answer is owed, so that a client cannot make this side pile up requests.
    var wantsToRead: Bool { pending == nil }
    /// True while the client waits for an answer that is not due yet.
    var isDelayed: Bool {
        switch pending {
        case .waiting, .never: true
        case .sending, nil: false
        }
    }
    /// When `advance` has to be called though nothing came.
    var deadline: UInt64? {
        if case .waiting(_, _, let until) = pending { until } else { nil }
    }

    /// Reads what is there and answers it.
    func receive(_ respond: (HTTPRequest) -> HTTPResponse) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket.raw, &buffer, buffer.count, 0)
        guard count > 0 else {
            if count == 0 || (errno != EAGAIN && errno != EINTR) { isClosed = true }
            return
        }
        incoming.append(contentsOf: buffer.prefix(count))
        advance(now: MonotonicClock.now, respond)
    }

    /// Answers as many requests as are there and due.
    func advance(now: UInt64, _ respond: (HTTPRequest) -> HTTPResponse) {
        while !isClosed {
            switch pending {
            case .waiting(let bytes, let closes, let until):
                guard now >= until else { return }
                start(bytes, closesAfter: closes)
            case .never:
                return
            case .sending(let closes):
                flush()
                guard !wantsToWrite else { return }
                pending = nil
                if closes { isClosed = true }
            case nil:
                guard takeRequest(now: now, respond) else { return }
            }
        }
    }

    private func takeRequest(now: UInt64, _ respond: (HTTPRequest) -> HTTPResponse) -> Bool {
        switch HTTPRequest.parse(incoming) {
        case .incomplete:
            return false
        case .invalid(let status):
            let response = HTTPResponse.text("bad request\n", status: status)
            start(response.serialized(isKeptAlive: false, hasBody: true), closesAfter: true)
        case .request(let request, let length):
            incoming.removeFirst(length)
            let response = respond(request)
            let bytes = response.serialized(isKeptAlive: request.isKeptAlive, hasBody: request.method != "HEAD")
            switch response.timing {
            case .atOnce: start(bytes, closesAfter: !request.isKeptAlive)
            case .after(let milliseconds):
                pending = .waiting(bytes, closesAfter: !request.isKeptAlive, until: now + milliseconds * 1000)
            case .never: pending = .never
            }
        }
        return true
    }

    /// The client gave up waiting.
    func hangUp() { isClosed = true }

    private func start(_ bytes: [UInt8], closesAfter: Bool) {
        outgoing.append(contentsOf: bytes)
        pending = .sending(closesAfter: closesAfter)
    }

    private func flush() {
        while sent < outgoing.count {
            let count = outgoing.withUnsafeBytes { buffer in
                buffer.baseAddress.map {
                    send(socket.raw, $0 + sent, buffer.count - sent, Int32(MSG_NOSIGNAL))
                } ?? 0
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { isClosed = true }
                return
            }
            sent += count
        }
        outgoing.removeAll(keepingCapacity: true)
        sent = 0
    }
}
