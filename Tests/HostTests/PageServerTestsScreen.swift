// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Bench
import Glibc
import Platform
import Testing

/// The white time of a recovery is read from the frame buffer by what is tested here.
@Suite struct ScreenTests {
    private static func page(load: Int) -> Bitmap {
        var bitmap = Bitmap(width: 800, height: 600, fill: .init(18, 56, 79))
        for (index, colour) in PageBand.cells(load: load).enumerated() {
            bitmap.fill(x: index * PageBand.cellWidth, y: 0, width: PageBand.cellWidth, height: 24, colour)
        }
        for row in 0..<6 { bitmap.fill(x: 24, y: 60 + 90 * row, width: 752, height: 44, .init(129, 68, 106)) }
        return bitmap
    }

    @Test func recognisesThePageAndItsLoad() {
        #expect(ScreenLook.classify(Self.page(load: 300)) == .page(load: 300))
        #expect(!ScreenLook.classify(Self.page(load: 300)).isWhite)
    }

    @Test func takesAPageBetweenTwoFramesForThePage() {
        var bitmap = Self.page(load: 1)
        bitmap.fill(x: 16 * PageBand.cellWidth, y: 0, width: 100, height: 24, .init(120, 120, 120))
        #expect(ScreenLook.classify(bitmap) == .tornPage)
        #expect(!ScreenLook.classify(bitmap).isWhite)
    }

    @Test(arguments: [PageBand.Colour(255, 255, 255), .init(0, 0, 0), .init(18, 56, 79)])
    func takesOneColourAllOverForWhite(colour: PageBand.Colour) {
        #expect(ScreenLook.classify(Bitmap(width: 800, height: 600, fill: colour)) == .blank(colour))
        #expect(ScreenLook.blank(colour).isWhite)
    }

    @Test func takesABandAboveNothingForWhite() {
        var bitmap = Self.page(load: 9)
        bitmap.fill(x: 0, y: 24, width: 800, height: 576, .init(255, 255, 255))
        #expect(ScreenLook.classify(bitmap) == .blank(.init(255, 255, 255)))
    }

    @Test func takesAnotherPageForWhite() {
        var bitmap = Self.page(load: 9)
        bitmap.fill(x: 0, y: 0, width: 800, height: 24, .init(255, 255, 255))
        #expect(ScreenLook.classify(bitmap) == .other)
        #expect(ScreenLook.other.isWhite)
        #expect(ScreenLook.classify(Bitmap(width: 10, height: 10, fill: .init(1, 2, 3))) == .blank(.init(1, 2, 3)))
    }

    @Test func addsUpWhiteTimeWithinTheStretchAskedFor() {
        var record = ScreenRecord()
        let looks: [(UInt64, ScreenLook)] = [
            (100, .page(load: 1)), (200, .blank(.init(0, 0, 0))), (250, .blank(.init(0, 0, 0))), (300, .other),
            (400, .page(load: 1)), (500, .page(load: 2)), (600, .other), (700, .other),
        ]
        for (at, look) in looks { record.note(look, at: at) }
        #expect(record.whiteTime(from: 0, to: 1000) == 300)
        #expect(record.whiteTime(from: 250, to: 350) == 100)
        #expect(record.whiteTime(from: 400, to: 600) == 0)
        #expect(record.firstPage(showing: 2, after: 100) == 500)
        #expect(record.firstPage(showing: 2, after: 501) == nil)
        #expect(record.longestGap == 100)
        #expect(record.looks == 8)
    }

    @Test func readsTheFrameBufferOfARealServer() throws {
        let scratch = try ScratchDirectory(prefix: "relight-test")
        let server = try XvfbServer(scratch: scratch)
        defer { server.stop() }
        let frameBuffer = try FrameBuffer(path: server.frameBufferPath)
        #expect(frameBuffer.width == 800)
        #expect(frameBuffer.height == 600)
        let watcher = try ScreenWatcher(frameBuffer)
        defer { watcher.stop() }
        let first = MonotonicClock.poll(timeout: 20_000_000) { watcher.record.current }
        // The root window of an X server without clients is black.
        #expect(first == .blank(.init(0, 0, 0)))

        // Red, green and blue must arrive as such.
        try RootPainter.paint(server.display, pixel: 0x12ab34)
        let painted = MonotonicClock.poll(timeout: 20_000_000) { () -> Bool? in
            watcher.record.current == .blank(.init(0x12, 0xab, 0x34)) ? true : nil
        }
        #expect(painted == true)
        #expect(watcher.record.looks > 10)
    }
}

/// The smallest X client: it paints the root window (X Window System Protocol, version 11).
private enum RootPainter {
    static func paint(_ display: String, pixel: UInt32) throws {
        let socket = try UnixSocket.connect(to: "/tmp/.X11-unix/X" + display.dropFirst())
        // Little-endian, version 11.0, no authorization.
        try send([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0], to: socket)
        let head = try receive(8, from: socket)
        #expect(head[0] == 1, "the X server refused the connection")
        let setup = try receive(4 * (Int(head[6]) | Int(head[7]) << 8), from: socket)
        let vendor = (Int(setup[16]) | Int(setup[17]) << 8) + 3 & ~3
        let screen = 32 + vendor + 8 * Int(setup[21])
        let root = Array(setup[screen..<(screen + 4)])
        let colour = (0..<4).map { UInt8(truncatingIfNeeded: pixel >> (8 * $0)) }
        // ChangeWindowAttributes with CWBackPixel, then ClearArea of the whole window.
        try send([2, 0, 4, 0] + root + [2, 0, 0, 0] + colour, to: socket)
        try send([61, 0, 4, 0] + root + [0, 0, 0, 0, 0, 0, 0, 0], to: socket)
        // GetInputFocus: its answer says that the server has come so far.
        try send([43, 0, 1, 0], to: socket)
        _ = try receive(32, from: socket)
    }

    private static func send(_ bytes: [UInt8], to socket: FileDescriptor) throws {
        let count = Glibc.send(socket.raw, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw SystemError(code: errno, action: "cannot send") }
    }

    private static func receive(_ count: Int, from socket: FileDescriptor) throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            var polled = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 20_000) > 0 else { throw SystemError(code: ETIMEDOUT, action: "no answer from X") }
            var buffer = [UInt8](repeating: 0, count: count - all.count)
            let got = recv(socket.raw, &buffer, buffer.count, 0)
            guard got > 0 else { throw SystemError(code: errno, action: "cannot read from X") }
            all.append(contentsOf: buffer.prefix(got))
        }
        return all
    }
}
