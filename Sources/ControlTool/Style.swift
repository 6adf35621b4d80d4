// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// How output looks: colours, and what the terminal can show.
struct Style: Sendable, Equatable {
    enum Colour: String, Sendable {
        case plain = ""
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    var isColoured = false
    /// False where the locale is not UTF-8: bars are then drawn in ASCII.
    var isUnicode = true
    /// Columns to keep within; nil where output is no terminal, and nothing is cut.
    var columns: Int?

    func paint(_ text: String, _ colour: Colour) -> String {
        guard isColoured, colour != .plain, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}

/// Rows of cells, aligned by the columns that they take on a terminal.
struct Table {
    struct Column {
        var title: String
        var isRight = false
        /// May be cut to make the table fit; such columns give up width in equal measure.
        var isElastic = false
    }

    struct Cell: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        var text: String
        var colour: Style.Colour
        init(_ text: String, _ colour: Style.Colour = .plain) {
            self.text = text
            self.colour = colour
        }
        init(stringLiteral text: String) { self.init(text) }
    }

    private static let gap = "  "
    private static let leastElastic = 12
    var columns: [Column]
    var rows: [[Cell]] = []
    var indent = ""

    init(_ columns: [Column], indent: String = "") {
        self.columns = columns
        self.indent = indent
    }

    /// The table with a header; nothing if there are no rows.
    func text(_ style: Style) -> String {
        guard !rows.isEmpty else { return "" }
        let widths = fitted(naturalWidths(), style)
        var result = line(columns.map { Cell($0.title, .dim) }, widths, style)
        for row in rows { result += line(row, widths, style) }
        return result
    }

    private func naturalWidths() -> [Int] {
        columns.enumerated().map { index, column in
            rows.reduce(Text.width(column.title)) { max($0, Text.width($1[index].text)) }
        }
    }

    private func fitted(_ natural: [Int], _ style: Style) -> [Int] {
        guard let available = style.columns else { return natural }
        var widths = natural
        var surplus = widths.reduce(Text.width(indent) + Self.gap.count * (widths.count - 1), +) - available
        while surplus > 0 {
            let widest = columns.indices.filter { columns[$0].isElastic && widths[$0] > Self.leastElastic }
                .max { widths[$0] < widths[$1] }
            guard let widest else { break }
            widths[widest] -= 1
            surplus -= 1
        }
        return widths
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ style: Style) -> String {
        var line = indent
        for (index, cell) in cells.enumerated() {
            let text = columns[index].isElastic ? Text.cut(cell.text, to: widths[index]) : cell.text
            let blanks = String(repeating: " ", count: max(widths[index] - Text.width(text), 0))
            let isLast = index == cells.count - 1
            if columns[index].isRight { line += blanks }
            line += style.paint(text, cell.colour)
            if !columns[index].isRight && !isLast { line += blanks }
            if !isLast { line += Self.gap }
        }
        return line + "\n"
    }
}
