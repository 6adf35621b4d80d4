// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Wire

struct FrameTests {
    private func drain(_ decoder: inout FrameDecoder) throws(FrameError) -> [String] {
        var frames: [String] = []
        while let frame = try decoder.next() { frames.append(String(decoding: frame, as: UTF8.self)) }
        return frames
    }

    @Test func splitsAtEveryByteBoundaryGiveTheSameFrames() throws {
        let stream = Array("{\"a\":1}\0\0{\"bé\":\"日本\"}\0x\0".utf8)
        for split in 0...stream.count {
            var decoder = FrameDecoder()
            decoder.append(stream[..<split])
            var frames = try drain(&decoder)
            decoder.append(stream[split...])
            frames += try drain(&decoder)
            #expect(frames == ["{\"a\":1}", "", "{\"bé\":\"日本\"}", "x"])
        }
        var decoder = FrameDecoder()
        var frames: [String] = []
        for byte in stream {
            decoder.append([byte])
            frames += try drain(&decoder)
        }
        #expect(frames.count == 4)
    }

    @Test func aFrameOfExactlyTheLimitPassesAndOneByteMoreDoesNot() throws {
        let fitting = [UInt8](repeating: 0x20, count: 100)
        var decoder = FrameDecoder(limit: 100)
        decoder.append(fitting + [0])
        #expect(try decoder.next() == fitting)
        decoder.append(fitting + [0x20, 0])
        let error = #expect(throws: FrameError.self) { try decoder.next() }
        #expect(error?.code == .tooLarge)
        #expect(error?.description.contains("100 bytes") == true)
    }

    @Test func aFrameThatNeverEndsIsRefusedAsSoonAsItIsTooLarge() throws {
        var decoder = FrameDecoder(limit: 100)
        for _ in 0..<100 {
            decoder.append([0x20])
            #expect(try decoder.next() == nil)
        }
        decoder.append([0x20])
        #expect(throws: FrameError.self) { try decoder.next() }
    }

    @Test func theLimitCountsEachFrameAlone() throws {
        var decoder = FrameDecoder(limit: 10)
        for _ in 0..<1_000 {
            decoder.append(Array("12345678".utf8) + [0, 0x31])
            #expect(try decoder.next()?.count ?? 0 >= 8)
            decoder.append([0])
            #expect(try decoder.next() == [0x31])
        }
    }

    @Test func aReadThatFailsOrIsShortAddsOnlyWhatCame() throws {
        var decoder = FrameDecoder()
        #expect(decoder.withWriteBuffer { _ in -11 } == -11)
        #expect(decoder.withWriteBuffer { _ in 0 } == 0)
        #expect(try decoder.next() == nil)
        let written = decoder.withWriteBuffer { buffer in
            #expect(buffer.count == 1 << 16)
            buffer.copyBytes(from: Array("ab\0c".utf8))
            return 4
        }
        #expect(written == 4)
        #expect(try drain(&decoder) == ["ab"])
        decoder.append([0])
        #expect(try drain(&decoder) == ["c"])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomSplitsAndSizesNeverLoseAByte(_ seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        let frames: [[UInt8]] = (0..<40).map { _ in
            (0..<Int.random(in: 0...300, using: &generator)).map { _ in UInt8.random(in: 1...255, using: &generator) }
        }
        var stream: ArraySlice<UInt8> = Array(frames.joined(separator: [0]))[...] + [0]
        var decoder = FrameDecoder(limit: 300)
        var received: [[UInt8]] = []
        while !stream.isEmpty {
            let count = min(Int.random(in: 1...500, using: &generator), stream.count)
            decoder.append(stream.prefix(count))
            stream = stream.dropFirst(count)
            if Bool.random(using: &generator) {
                while let frame = try decoder.next() { received.append(frame) }
            }
        }
        while let frame = try decoder.next() { received.append(frame) }
        #expect(received == frames)
    }
}

/// A seeded generator (Steele, Lea and Flood's SplitMix64), so that a failure comes back.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
