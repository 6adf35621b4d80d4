// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// One answer of the page server.
package struct HTTPResponse: Sendable {
    package enum Timing: Sendable, Equatable {
        case atOnce
        case after(milliseconds: UInt64)
        /// The client waits until it gives up.
        case never
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    package var timing = Timing.atOnce

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }

    package static func html(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array(text.utf8))
    }

    package static func redirect(to location: String) -> HTTPResponse {
        HTTPResponse(status: 302, headers: [("Location", location)])
    }

    /// Adds one Set-Cookie header.
    package func setting(cookie: String) -> HTTPResponse {
        var copy = self
        copy.headers.append(("Set-Cookie", cookie))
        return copy
    }

    /// The bytes on the wire.
    func serialized(isKeptAlive: Bool, hasBody: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        // 204 and 304 have no body and so no length (RFC 9110, section 8.6).
        if status != 204 && status != 304 { head += "Content-Length: \(body.count)\r\n" }
        // Every load and every report has to be seen by the server.
        head += "Cache-Control: no-store\r\nConnection: \(isKeptAlive ? "keep-alive" : "close")\r\n\r\n"
        return Array(head.utf8) + (hasBody && status != 204 && status != 304 ? body : [])
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 302: "Found"
        case 400: "Bad Request"
        case 404: "Not Found"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        default: "Status"
        }
    }
}
