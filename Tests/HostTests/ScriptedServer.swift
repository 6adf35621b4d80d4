// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Foundation
import Glibc
import Platform
import Synchronization

/// An HTTP server that answers with whatever bytes a test says, right or wrong. One request a connection.
final class ScriptedServer: Sendable {
    struct Request: Sendable, Equatable {
        let method: String
        let target: String
        /// Names in lower case.
        let headers: [String: String]
        var cookies: String { headers["cookie"] ?? "" }
    }

    /// What follows the request.
    enum Answer: Sendable {
        case bytes([UInt8])
        /// The same bytes again and again, until the client has enough.
        case endless(head: String, body: [UInt8])
        /// Nothing, and the connection stays.
        case silence

        static func text(_ text: String) -> Answer { .bytes(Array(text.utf8)) }

        /// A whole response, with lines for the head.
        static func response(_ status: Int, _ lines: [String] = [], body: String = "") -> Answer {
            let head = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)", "Connection: close"] + lines
            return .text(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }
    }

    let port: UInt16
    private let listener: FileDescriptor
    private let seen = Mutex<[Request]>([])

    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        listener = FileDescriptor(owning: fd)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(fd, pointer, size) == 0 && listen(fd, 64) == 0 && getsockname(fd, pointer, &size) == 0
            }
        }
        guard isListening else { throw SystemError(code: errno, action: "cannot listen") }
        port = UInt16(bigEndian: address.sin_port)
        let listener = listener
        Thread.detachNewThread { [weak self] in
            while case let connection = accept(listener.raw, nil, nil), connection >= 0 {
                let client = FileDescriptor(owning: connection)
                Thread.detachNewThread { [weak self] in
                    guard let request = Self.read(client) else { return }
                    self?.seen.withLock { $0.append(request) }
                    Self.send(answer(request), to: client)
                }
            }
        }
    }

    deinit { shutdown(listener.raw, Int32(SHUT_RDWR)) }

    func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    /// The requests so far, in the order of their arrival.
    var requests: [Request] { seen.withLock { $0 } }

    private static func read(_ client: FileDescriptor) -> Request? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            var byte: UInt8 = 0
            guard bytes.count < 1 << 20, recv(client.raw, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        let fields = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        return Request(
            method: String(words[0]), target: String(words[1]), headers: Dictionary(fields, uniquingKeysWith: { $1 }))
    }

    private static func send(_ answer: Answer, to client: FileDescriptor) {
        func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    Glibc.send(client.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }
        switch answer {
        case .bytes(let bytes): _ = write(bytes)
        case .endless(let head, let body):
            guard write(Array(head.utf8)) else { return }
            while write(body) {}
        case .silence:
            var byte: UInt8 = 0
            _ = recv(client.raw, &byte, 1, 0)
        }
    }
}
