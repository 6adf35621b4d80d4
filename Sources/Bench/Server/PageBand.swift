// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The band at the top of the demo page that a reader of the frame buffer recognises: four cells of known colours, then
/// the number of the page load in binary, then its parity. So pixels alone tell one load of the page from the next.
package enum PageBand {
    package struct Colour: Sendable, Hashable {
        package var red: UInt8
        package var green: UInt8
        package var blue: UInt8
        package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            self.red = red
            self.green = green
            self.blue = blue
        }

        /// True if no channel differs by more than colour management or dithering can explain.
        package func isNear(_ other: Colour) -> Bool {
            func distance(_ a: UInt8, _ b: UInt8) -> Int { abs(Int(a) - Int(b)) }
            return distance(red, other.red) <= 24 && distance(green, other.green) <= 24
                && distance(blue, other.blue) <= 24
        }

        var css: String { "rgb(\(red),\(green),\(blue))" }
    }

    package static let marker = [Colour(216, 27, 96), Colour(30, 136, 229), Colour(255, 193, 7), Colour(0, 77, 64)]
    static let zero = Colour(38, 50, 56)
    static let one = Colour(236, 239, 241)
    static let bits = 16
    /// In CSS pixels, which are the screen's at a scale of 1.
    package static let cellWidth = 32
    package static let height = 24
    package static var cellCount: Int { marker.count + bits + 1 }

    /// The colours of all cells for a load's number, of which the lower 16 bits count.
    package static func cells(load: Int) -> [Colour] {
        let number = UInt16(truncatingIfNeeded: load)
        let digits = (0..<bits).reversed().map { number >> $0 & 1 == 1 ? one : zero }
        return marker + digits + [number.nonzeroBitCount % 2 == 1 ? one : zero]
    }

    package enum Reading: Sendable, Equatable {
        case absent
        /// The marker is there, but the number is not whole, as between two frames.
        case torn
        case load(UInt16)
    }

    /// Reads the band back; `cell` gives the colour at the middle of a cell.
    package static func read(_ cell: (Int) -> Colour) -> Reading {
        for (index, colour) in marker.enumerated() where !cell(index).isNear(colour) { return .absent }
        var number: UInt16 = 0
        for index in 0..<bits {
            let colour = cell(marker.count + index)
            guard colour.isNear(one) || colour.isNear(zero) else { return .torn }
            number = number << 1 | (colour.isNear(one) ? 1 : 0)
        }
        let parity = cell(marker.count + bits)
        return parity.isNear(number.nonzeroBitCount % 2 == 1 ? one : zero) ? .load(number) : .torn
    }

    /// The band as HTML.
    static func html(load: Int) -> String {
        let cells = cells(load: load).map { "<i style=\"background:\($0.css)\"></i>" }.joined()
        return "<div id=\"band\" aria-hidden=\"true\">\(cells)</div>"
    }
}
