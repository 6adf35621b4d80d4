// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Wire

/// An incident as text: what happened when, with a bar for each step.
package enum TimelineChart {
    private static let barWidth = 36

    private static let words = [
        "died": "the process died", "detected": "relightd knew", "slotBound": "a spare was taken",
        "cookiesIn": "cookies are in", "stateIn": "page state is in", "loadStarted": "loading began",
        "loadFinished": "loading finished", "firstPaint": "painted", "verified": "verified",
    ]

    /// One line a step: the time since the first mark, how long the step took, and where in the whole it lies.
    package static func lines(_ marks: [Control.Incident.Mark]) -> [String] {
        let marks = marks.sorted { $0.offset < $1.offset }
        guard let first = marks.first?.offset, let last = marks.last?.offset else { return [] }
        let span = max(last - first, 1)
        var previous = first
        return marks.map { mark in
            let start = Int((previous - first) * Int64(barWidth) / span)
            let end = max(Int((mark.offset - first) * Int64(barWidth) / span), start)
            let bar =
                String(repeating: " ", count: start) + String(repeating: "█", count: end - start)
                + (end == start ? "▏" : "")
            let time = milliseconds(mark.offset - first)
            let step = milliseconds(mark.offset - previous)
            previous = mark.offset
            let name = words[mark.step] ?? mark.step
            return "\(Terminal.pad(time, 9, left: true)) \(Terminal.pad("+" + step, 9, left: true))  "
                + Terminal.pad(name, 19) + Terminal.pad(bar, barWidth + 1)
                + (mark.detail.map { " " + $0 } ?? "")
        }
    }

    private static func milliseconds(_ microseconds: Int64) -> String {
        let tenths = (microseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
