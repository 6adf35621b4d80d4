// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Platform
import Testing
import Wire

@testable import Transport

/// Frames and descriptors over real socket pairs.
struct FramedConnectionTests {
    private func pair(frameLimit: Int = Frame.defaultLimit, queueLimit: Int = 64 << 20) throws -> (
        FramedConnection, FramedConnection
    ) {
        let (a, b) = try UnixSocket.pair()
        return (
            FramedConnection(socket: a, frameLimit: frameLimit, queueLimit: queueLimit),
            FramedConnection(socket: b, frameLimit: frameLimit, queueLimit: queueLimit)
        )
    }

    /// A descriptor whose content tells it from others.
    private func memory(_ text: String) throws -> FileDescriptor {
        try Array(text.utf8).withUnsafeBytes { bytes throws(SystemError) in
            try SharedMemory.make(name: "test", bytes: bytes)
        }
    }

    private func text(_ memory: FileDescriptor) throws -> String {
        String(decoding: try SharedMemory.read(memory, limit: 1 << 16), as: UTF8.self)
    }

    @Test func framesArriveWholeAndInOrder() throws {
        let (a, b) = try pair()
        let frames = (0..<200).map { Array("{\"n\":\($0)}".utf8) }
        for frame in frames { try a.send(frame) }
        var received: [[UInt8]] = []
        while received.count < frames.count { received += try b.receive().map(\.frame) }
        #expect(received == frames)
        #expect(try b.receive().isEmpty && !b.isAtEnd)
    }

    @Test func aDescriptorArrivesWithItsMessage() throws {
        let (a, b) = try pair()
        let picture = HostMessage.picture(.init(slot: 1, width: 1, height: 1, stride: 4))
        try a.send(try HostMessage.pong(.init(sequence: 1)).frame())
        try a.send(try picture.frame(), descriptors: [memory("pixels")])
        try a.send(try HostMessage.pong(.init(sequence: 2)).frame())
        var taken: [String] = []
        var count = 0
        while count < 3 {
            for received in try b.receive() {
                count += 1
                let message = try HostMessage.parse(received.frame)
                let descriptors = try #require(received.descriptors.take(message.descriptorCount))
                taken += try descriptors.map(text)
            }
        }
        #expect(taken == ["pixels"])
    }

    @Test func manyDescriptorsKeepTheirOrder() throws {
        let (a, b) = try pair()
        let most = UnixSocket.maximumDescriptors
        for round in 0..<6 {
            let descriptors = try (0..<most).map { try memory("\(round).\($0)") }
            try a.send([0x78], descriptors: descriptors)
            var received: [FramedConnection.Received] = []
            while received.isEmpty { received = try b.receive() }
            let got = try #require(received.first?.descriptors.take(most))
            #expect(try got.map(text) == (0..<most).map { "\(round).\($0)" })
            #expect(received.first?.descriptors.count == 0)
            // Nothing inherited them by accident.
            #expect(got.allSatisfy { fcntl($0.raw, F_GETFD) & FD_CLOEXEC != 0 })
        }
    }

    @Test func moreDescriptorsThanOneMessageCarriesAreRefusedBySending() throws {
        let (a, _) = try pair()
        let shared = try memory("x")
        let many = (0...UnixSocket.maximumDescriptors).map { _ in shared }
        #expect(throws: FramedConnection.Failure.self) { try a.send([0x78], descriptors: many) }
    }

    @Test func aMessageThatLacksItsDescriptorIsNoticed() throws {
        let (a, b) = try pair()
        try a.send([0x78])
        let received = try b.receive()
        #expect(received.first?.descriptors.take(1) == nil)
        #expect(received.first?.descriptors.take(0)?.isEmpty == true)
    }

    @Test func aPeerThatPilesUpDescriptorsIsCutOff() throws {
        let (a, b) = try pair()
        let shared = try memory("x")
        let failure = #expect(throws: FramedConnection.Failure.self) {
            for _ in 0..<8 {
                try a.send([0x78], descriptors: (0..<UnixSocket.maximumDescriptors).map { _ in shared })
                _ = try b.receive()
            }
        }
        #expect(failure?.description.contains("more descriptors") == true)
    }

    @Test func unclaimedDescriptorsAreClosedWithTheConnection() throws {
        let (reading, writing) = try UnixSocket.pair()
        let (a, socket) = try UnixSocket.pair()
        do {
            let sender = FramedConnection(socket: a)
            let receiver = FramedConnection(socket: socket)
            try sender.send([0x78], descriptors: [writing.duplicate()])
            #expect(try receiver.receive().count == 1)
            shutdown(writing.raw, Int32(SHUT_RD))
        }
        // Only our own end is left: once that is closed too, the other end reads the end of the stream.
        shutdown(writing.raw, Int32(SHUT_WR))
        let other = FramedConnection(socket: reading)
        _ = try other.receive()
        #expect(other.isAtEnd)
    }

    @Test func whatIsNotReadWaitsUpToTheLimitAndThenArrives() throws {
        let (a, b) = try pair(queueLimit: 1 << 20)
        let frame = [UInt8](repeating: 0x78, count: 50_000)
        var sent = 0
        var failure: FramedConnection.Failure?
        while failure == nil && sent < 1_000 {
            do {
                try a.send(frame)
                sent += 1
            } catch {
                failure = error
            }
        }
        guard case .queueFull(let bytes) = failure else {
            Issue.record("\(sent) frames were taken: \(failure?.description ?? "no failure")")
            return
        }
        #expect(bytes <= 1 << 20 && bytes > (1 << 20) - 50_001)
        #expect(a.wantsToWrite)
        var received = 0
        while received < sent {
            for arrived in try b.receive() {
                #expect(arrived.frame == frame)
                received += 1
            }
            try a.flush()
        }
        #expect(!a.wantsToWrite)
        // There is room again.
        try a.send(frame)
    }

    @Test func descriptorsOfAFrameThatIsSentInPiecesArriveOnce() throws {
        let (a, b) = try pair()
        let large = [UInt8](repeating: 0x79, count: 3 << 20)
        try a.send(large, descriptors: [memory("first")])
        try a.send([0x7A], descriptors: [memory("second")])
        #expect(a.wantsToWrite)
        var frames: [Int] = []
        var queue: DescriptorQueue?
        while frames.count < 2 {
            for received in try b.receive() {
                frames.append(received.frame.count)
                queue = received.descriptors
            }
            try a.flush()
        }
        #expect(frames == [3 << 20, 1])
        #expect(try #require(queue?.take(2)).map(text) == ["first", "second"])
        #expect(queue?.count == 0)
    }

    @Test func aFrameAboveTheLimitIsAnErrorWithBothSizes() throws {
        let (a, _) = try pair()
        let (c, d) = try pair(frameLimit: 1_000)
        try c.send([UInt8](repeating: 0x78, count: 1_001))
        let failure = #expect(throws: FramedConnection.Failure.self) { try d.receive() }
        #expect(failure?.description.contains("1001 bytes") == true)
        #expect(failure?.description.contains("1000 bytes") == true)
        #expect(!a.wantsToWrite)
    }

    @Test func theEndIsSeenAfterTheLastFrame() throws {
        let (a, b) = try UnixSocket.pair()
        let receiver = FramedConnection(socket: b)
        do {
            let sender = FramedConnection(socket: a)
            try sender.send([0x78])
            shutdown(a.raw, Int32(SHUT_RDWR))
        }
        #expect(try receiver.receive().map(\.frame) == [[0x78]])
        #expect(receiver.isAtEnd)
        // Nobody is there to read: an error, not a signal.
        #expect(throws: FramedConnection.Failure.self) { try receiver.send([0x78]) }
    }

    @Test func onePeerCannotKeepALoopBusy() throws {
        let (a, b) = try pair()
        let frame = [UInt8](repeating: 0x78, count: 100_000)
        for _ in 0..<100 { try a.send(frame) }
        var total = 0
        var most = 0
        while total < 100 {
            let count = try b.receive().count
            most = max(most, count)
            total += count
            try a.flush()
        }
        #expect(most <= 12, "\(most) frames of 100 kB came from one call")
    }
}
