// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Bench
import Glibc
import Platform
import Testing

/// The page server is the witness of the storm and the benchmarks, so its own testimony has to be right.
@Suite struct PageServerTests {
    @Test func parsesARequestThatComesInPieces() {
        let bytes = Array("POST /echo?a=1%20b&c=%C3%A9 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nxyzGET".utf8)
        for length in 0..<(bytes.count - 3) {
            #expect(HTTPRequest.parse(Array(bytes.prefix(length))) == .incomplete)
        }
        guard case .request(let request, let length) = HTTPRequest.parse(bytes) else {
            Issue.record("not parsed")
            return
        }
        #expect(length == bytes.count - 3)
        #expect(request.body == Array("xyz".utf8))
        #expect(request.path == "/echo")
        #expect(request.parameter("a") == "1 b")
        #expect(request.parameter("c") == "é")
        #expect(request.isKeptAlive)
    }

    @Test(arguments: [
        ("nonsense\r\n\r\n", 400), ("GET x HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nbroken\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        ("GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413),
    ])
    func refusesWhatItDoesNotServe(text: String, status: Int) {
        #expect(HTTPRequest.parse(Array(text.utf8)) == .invalid(status: status))
    }

    @Test func refusesAHeadWithoutEnd() {
        #expect(HTTPRequest.parse([UInt8](repeating: 65, count: 70_000)) == .invalid(status: 431))
    }

    @Test func logsInThroughARedirectWithBothKindsOfCookies() {
        var site = PageSite()
        let (response, _) = site.respond(to: .get("/login?next=/%3Fview=lobby"))
        #expect(response.status == 302)
        #expect(response.headers.contains { $0 == ("Location", "/?view=lobby") })
        let cookies = response.headers.filter { $0.name == "Set-Cookie" }.map(\.value)
        #expect(cookies.count == 2)
        #expect(cookies.contains { $0.hasPrefix("session=s1;") && $0.contains("HttpOnly") && !$0.contains("Max-Age") })
        #expect(cookies.contains { $0.hasPrefix("remember=r1;") && $0.contains("Max-Age=") })
    }

    @Test func numbersLoadsAndTicks() {
        var site = PageSite()
        #expect(site.respond(to: .get("/")).load == 1)
        let (page, load) = site.respond(to: .get("/?view=a", cookie: "session=s7"))
        #expect(load == 2)
        #expect(String(decoding: page.body, as: UTF8.self).contains("Logged in (session s7)"))
        _ = site.respond(to: .get("/tick"))
        let (tick, _) = site.respond(to: .get("/tick"))
        #expect(tick.headers.contains { $0.name == "Set-Cookie" && $0.value == "n=2; Path=/; HttpOnly" })
        #expect(tick.headers.contains { $0.name == "Set-Cookie" && $0.value.hasPrefix("p=2; Path=/; Max-Age=") })
    }

    @Test func bandSaysWhichLoadItIs() {
        for load in [0, 1, 2, 255, 4711, 65_535, 65_537] {
            let cells = PageBand.cells(load: load)
            #expect(PageBand.read { cells[$0] } == .load(UInt16(truncatingIfNeeded: load)))
        }
        var cells = PageBand.cells(load: 6)
        cells[PageBand.marker.count + 3] = .init(128, 128, 128)
        #expect(PageBand.read { cells[$0] } == .torn)
        cells[1] = .init(255, 255, 255)
        #expect(PageBand.read { cells[$0] } == .absent)
    }

    @Test func servesSeveralRequestsOnOneConnectionAndLogsThem() throws {
        let server = try PageServer()
        defer { server.stop() }
        let client = try TestClient(port: server.port)
        try client.send("GET /echo-cookies HTTP/1.1\r\nCookie: a=1\r\n\r\nHEAD /big?bytes=9 HTTP/1.1\r\n\r\n")
        try client.send("GET /nowhere HTTP/1.1\r\nConnection: close\r\nCookie: n=5; p=6\r\n\r\n")
        let text = try client.readToEnd()
        #expect(text.components(of: "HTTP/1.1 ") == 3)
        #expect(text.contains("\r\n\r\na=1\n"))
        #expect(text.contains("Content-Length: 9\r\n"))
        #expect(!text.contains("xxxxxxxxx"))
        #expect(text.contains("HTTP/1.1 404 "))
        let log = server.log.entries()
        #expect(log.map(\.path) == ["/echo-cookies", "/big", "/nowhere"])
        #expect(log.last?.cookie("n") == "5")
        #expect(log.last?.cookie("p") == "6")
        #expect(log.last?.cookie("q") == nil)
        #expect(zip(log, log.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test func sendsABodyLargerThanTheSocketTakes() throws {
        let server = try PageServer()
        let client = try TestClient(port: server.port)
        try client.send("GET /big?bytes=20000000 HTTP/1.1\r\nConnection: close\r\n\r\n")
        let text = try client.readToEnd()
        #expect(text.utf8.count > 20_000_000)
        #expect(text.utf8.count < 20_001_000)
    }

    @Test func delaysASlowAnswerWithoutHoldingUpOthers() throws {
        let server = try PageServer()
        let start = MonotonicClock.now
        let hung = try TestClient(port: server.port)
        try hung.send("GET /hang HTTP/1.1\r\n\r\n")
        let slow = try TestClient(port: server.port)
        try slow.send("GET /slow?ms=200 HTTP/1.0\r\n\r\n")
        let quick = try TestClient(port: server.port)
        try quick.send("GET /echo-cookies HTTP/1.0\r\n\r\n")
        #expect(try quick.readToEnd().hasPrefix("HTTP/1.1 200 "))
        #expect(try slow.readToEnd().hasSuffix("slow\n"))
        #expect(MonotonicClock.now - start >= 200_000)
        // Stopping ends the connection that is still owed its answer.
        server.stop()
        #expect(try hung.readToEnd().isEmpty)
    }
}

extension HTTPRequest {
    fileprivate static func get(_ target: String, cookie: String? = nil) -> HTTPRequest {
        HTTPRequest(method: "GET", target: target, headers: cookie.map { [("cookie", $0)] } ?? [])
    }
}

extension String {
    fileprivate func components(of text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}

/// A blocking client with a deadline of a minute.
private struct TestClient {
    let socket: FileDescriptor

    init(port: UInt16) throws {
        let fd = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        socket = FileDescriptor(owning: fd)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemError(code: errno, action: "cannot connect") }
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        let count = Glibc.send(socket.raw, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw SystemError(code: errno, action: "cannot send") }
    }

    func readToEnd() throws -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(socket.raw, &buffer, buffer.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(code: errno, action: "cannot read") }
            if count == 0 { return String(decoding: all, as: UTF8.self) }
            all.append(contentsOf: buffer.prefix(count))
        }
    }
}
