// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Something whose pixels can be looked at.
package protocol PixelSource {
    var width: Int { get }
    var height: Int { get }
    /// The colour at a place that lies within the bounds.
    func colour(x: Int, y: Int) -> PageBand.Colour
}

/// A picture in memory: a copy of the screen, or one made for a test.
package struct Bitmap: PixelSource, Sendable, Equatable {
    package let width: Int
    package let height: Int
    /// Rows from the top, without gaps.
    package var pixels: [PageBand.Colour]

    package init(width: Int, height: Int, fill: PageBand.Colour) {
        self.width = width
        self.height = height
        pixels = Array(repeating: fill, count: width * height)
    }

    package init(copying source: some PixelSource) {
        width = source.width
        height = source.height
        pixels = []
        pixels.reserveCapacity(width * height)
        for y in 0..<height {
            for x in 0..<width { pixels.append(source.colour(x: x, y: y)) }
        }
    }

    package func colour(x: Int, y: Int) -> PageBand.Colour { pixels[y * width + x] }

    /// Paints a rectangle, clipped to the picture.
    package mutating func fill(x: Int, y: Int, width: Int, height: Int, _ colour: PageBand.Colour) {
        for row in max(0, y)..<max(0, min(y + height, self.height)) {
            for column in max(0, x)..<max(0, min(x + width, self.width)) {
                pixels[row * self.width + column] = colour
            }
        }
    }
}
