// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What one look at the screen showed.
package enum ScreenLook: Sendable, Equatable {
    /// The demo page, and which load of it; a held frame of the page is the page.
    case page(load: UInt16)
    /// The demo page between two frames: its marker, with a number that is not whole.
    case tornPage
    /// One colour all over, or all over beneath the page's band.
    case blank(PageBand.Colour)
    /// Something else: another page, or what lies behind.
    case other

    /// True if a person would see neither the page nor its last good frame.
    package var isWhite: Bool {
        switch self {
        case .page, .tornPage: false
        case .blank, .other: true
        }
    }

    /// Looks at the band's cells and at a grid of 300 places: about a microsecond.
    package static func classify(_ source: some PixelSource) -> ScreenLook {
        let reading =
            source.width >= PageBand.cellCount * PageBand.cellWidth && source.height > 2 * PageBand.height
            ? PageBand.read { cell in
                source.colour(x: cell * PageBand.cellWidth + PageBand.cellWidth / 2, y: PageBand.height / 2)
            } : .absent
        let top = reading == .absent ? 0 : PageBand.height
        if let colour = onlyColour(of: source, from: top) { return .blank(colour) }
        return switch reading {
        case .absent: .other
        case .torn: .tornPage
        case .load(let number): .page(load: number)
        }
    }

    private static let columns = 20
    private static let rows = 15

    /// The colour that all places of the grid have, or nil if they differ.
    private static func onlyColour(of source: some PixelSource, from top: Int) -> PageBand.Colour? {
        guard source.width > 0, source.height > top else { return nil }
        let height = source.height - top
        let first = source.colour(x: source.width / (2 * columns), y: top + height / (2 * rows))
        for row in 0..<rows {
            let y = top + (2 * row + 1) * height / (2 * rows)
            for column in 0..<columns
            where source.colour(x: (2 * column + 1) * source.width / (2 * columns), y: y) != first {
                return nil
            }
        }
        return first
    }
}
