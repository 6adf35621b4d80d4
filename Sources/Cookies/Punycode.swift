// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The encoder of RFC 3492, for labels with letters beyond ASCII.
enum Punycode {
    /// `label` as it goes on the wire; nil if it does not fit into 63 bytes.
    static func label(_ label: String) -> String? {
        let scalars = label.unicodeScalars.map(\.value)
        guard scalars.contains(where: { $0 >= 0x80 }) else { return label.lowercased() }
        // A label of 63 bytes cannot hold more; this also bounds the quadratic work below.
        guard scalars.count < 60 else { return nil }
        guard let digits = encode(scalars), digits.count <= 59 else { return nil }
        return "xn--" + String(decoding: digits, as: UTF8.self)
    }

    private static func encode(_ input: [UInt32]) -> [UInt8]? {
        var output = input.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (code, delta, bias, handled) = (UInt32(0x80), UInt32(0), UInt32(72), UInt32(basicCount))
        while Int(handled) < input.count {
            guard let next = input.filter({ $0 >= code }).min() else { return nil }
            let (step, overflow) = (next - code).multipliedReportingOverflow(by: handled + 1)
            guard !overflow, delta <= .max - step else { return nil }
            delta += step
            code = next
            for scalar in input {
                if scalar < code { delta += 1 }
                guard scalar == code else { continue }
                appendVariableLength(delta, bias: bias, to: &output)
                bias = adapt(delta, count: handled + 1, isFirst: Int(handled) == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return output
    }

    private static func appendVariableLength(_ value: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var (rest, k) = (value, UInt32(36))
        while true {
            let threshold = k <= bias ? 1 : min(k - bias, 26)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            k += 36
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: UInt32) -> UInt8 { UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26) }

    private static func adapt(_ value: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? value / 700 : value / 2
        delta += delta / count
        var k: UInt32 = 0
        while delta > 455 {
            delta /= 35
            k += 36
        }
        return k + 36 * delta / (delta + 38)
    }
}
