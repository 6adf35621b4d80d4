// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What is typed into the demo page's form, and what the page reports of it.
package struct FormValues: Sendable, Equatable, Codable {
    package var name: String
    package var notes: String
    package var agree: Bool
    package var size: String
    package var colour: String

    package init(name: String = "", notes: String = "", agree: Bool = false, size: String = "", colour: String = "none")
    {
        self.name = name
        self.notes = notes
        self.agree = agree
        self.size = size
        self.colour = colour
    }

    /// Values of every kind that a form can hold, hostile characters included.
    package static func random(using generator: inout SplitMix64) -> FormValues {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEF0123456789 äß€漢😀\"'\\<>&%;=/")
        func text(_ length: ClosedRange<Int>, _ extra: [Character], _ generator: inout SplitMix64) -> String {
            let letters = alphabet + extra
            return String(
                (0..<Int.random(in: length, using: &generator)).map { _ in
                    letters[Int.random(in: letters.indices, using: &generator)]
                })
        }
        let sizes = ["", "small", "medium", "large"]
        let colours = ["none", "red", "green", "blue"]
        return FormValues(
            name: text(0...24, [], &generator), notes: text(0...200, ["\n"], &generator),
            agree: Bool.random(using: &generator),
            size: sizes[Int.random(in: sizes.indices, using: &generator)],
            colour: colours[Int.random(in: colours.indices, using: &generator)])
    }
}
