// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What the page server answers: a value, so that it can be asked without a socket.
package struct PageSite: Sendable {
    /// Loads of the demo page so far.
    package private(set) var loads = 0
    /// Ticks so far: the value of the cookies `n` and `p` that the newest one set.
    package private(set) var ticks = 0
    private var sessions = 0

    package init() {}

    /// One year, in seconds.
    private static let persistent = "Max-Age=31536000"

    /// Answers one request; the second value is the number of the page load that it began, if it did.
    package mutating func respond(to request: HTTPRequest) -> (HTTPResponse, load: Int?) {
        switch request.path {
        case "/":
            loads += 1
            let session = LoggedRequest(
                at: 0, method: "", target: "", cookieHeader: request.header("cookie") ?? ""
            ).cookie("session")
            let user = session?.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
            return (.html(DemoPage.html(load: loads, user: user)), loads)
        case "/login":
            sessions += 1
            let next = request.parameter("next") ?? "/"
            return (
                .redirect(to: next.hasPrefix("/") && !next.hasPrefix("//") ? next : "/")
                    .setting(cookie: "session=s\(sessions); Path=/; HttpOnly; SameSite=Lax")
                    .setting(cookie: "remember=r\(sessions); Path=/; \(Self.persistent); SameSite=Lax"), nil
            )
        case "/tick":
            ticks += 1
            return (
                .text("\(ticks)\n").setting(cookie: "n=\(ticks); Path=/; HttpOnly")
                    .setting(cookie: "p=\(ticks); Path=/; \(Self.persistent)"), nil
            )
        case "/report", "/painted":
            return (HTTPResponse(status: 204), nil)
        default:
            return (Self.respondForTests(request), nil)
        }
    }

    /// The paths that exist for tests of hosts.
    private static func respondForTests(_ request: HTTPRequest) -> HTTPResponse {
        func number(_ name: String, limit: Int) -> Int {
            min(max(request.parameter(name).flatMap { Int($0) } ?? 0, 0), limit)
        }
        switch request.path {
        case "/plain":
            return .html(DemoPage.plainHTML(title: request.parameter("title") ?? "Plain page"))
        case "/redirect-chain":
            let left = number("n", limit: 1000)
            guard left > 0 else { return .text("the end of the chain\n") }
            return HTTPResponse.redirect(to: "/redirect-chain?n=\(left - 1)").setting(cookie: "hop\(left)=1; Path=/")
        case "/slow":
            var response = HTTPResponse.text("slow\n")
            response.timing = .after(milliseconds: UInt64(number("ms", limit: 600_000)))
            return response
        case "/hang":
            var response = HTTPResponse.text("")
            response.timing = .never
            return response
        case "/big":
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "text/plain")],
                body: [UInt8](repeating: UInt8(ascii: "x"), count: number("bytes", limit: 64 << 20)))
        case "/set":
            // A value may carry attributes: /set?a=1%3B%20HttpOnly
            return request.query.reduce(HTTPResponse.text("set\n")) { response, pair in
                let text = "\(pair.name)=\(pair.value)".filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
                return response.setting(cookie: text.contains(";") ? text : text + "; Path=/")
            }
        case "/echo-cookies":
            return .text((request.header("cookie") ?? "") + "\n")
        case "/echo":
            return .text("\(request.method) \(request.target)\n" + String(decoding: request.body, as: UTF8.self))
        case let path where path.hasPrefix("/status/"):
            guard let status = Int(path.dropFirst("/status/".count)), (200...599).contains(status) else {
                return .text("no such status\n", status: 400)
            }
            return .text("status \(status)\n", status: status)
        default:
            return .text("not found\n", status: 404)
        }
    }
}
