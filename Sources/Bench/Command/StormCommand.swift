// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// `relight-bench storm`.
enum StormCommand {
    static func run(_ arguments: some Sequence<String>) throws -> BenchCommand.Exit {
        let arguments = try Arguments(
            arguments, values: ["target", "kills", "seed", "views"], flags: ["json", "keep"])
        var options = StormOptions()
        options.target = try arguments.choice("target", fallback: options.target)
        options.kills = try arguments.number("kills", in: 1...100_000, fallback: options.kills)
        options.seed = try arguments.number("seed", in: 0...UInt64.max, fallback: options.seed)
        options.views = try arguments.number("views", in: 1...32, fallback: options.views)
        options.keepsScratch = arguments.has("keep")

        let storm = try Storm(options, progress: Progress())
        let summary = try storm.run()
        if arguments.has("json") {
            Terminal.print(String(decoding: try JSON.encode(summary), as: UTF8.self))
        } else {
            Terminal.print(table(summary), terminator: "")
        }
        return summary.isClean ? .success : .lost
    }

    private static func table(_ summary: StormSummary) -> String {
        let recovery = summary.recovery
        let rows: [(String, String)] = [
            ("killed", "\(summary.kills) times (\(summary.target), seed \(summary.seed), views: \(summary.views))"),
            ("recovered", "\(summary.recovered)"),
            ("lost acknowledged cookies", "\(summary.lostAcknowledgedCookies)"),
            ("stale state", "\(summary.staleState)"),
            (
                "kill to painted",
                "median \(Terminal.milliseconds(recovery.p50)), p99 \(Terminal.milliseconds(recovery.p99)), "
                    + "max \(Terminal.milliseconds(recovery.max))"
            ),
            (
                "white",
                "median \(Terminal.milliseconds(summary.white.p50)), max \(Terminal.milliseconds(summary.white.max))"
            ),
            (
                "counters lost at most",
                "localStorage \(Terminal.milliseconds(summary.lostCounters.localStorage)), "
                    + "IndexedDB \(Terminal.milliseconds(summary.lostCounters.indexedDB))"
            ),
            ("requests without cookies", "\(summary.requestsWithoutCookies)"),
            ("descriptors", "\(summary.descriptorsBefore) before, \(summary.descriptorsAfter) after"),
            ("zombies, processes left", "\(summary.zombies), \(summary.processesLeft)"),
            (
                "looks at the screen",
                "\(summary.looksPerSecond) a second, "
                    + "longest gap \(Terminal.milliseconds(summary.longestGap))"
            ),
        ]
        let verdict = summary.isClean ? Terminal.green("Nothing was lost.") : Terminal.red("Something was lost.")
        return rows.map { Terminal.pad($0.0, 28) + $0.1 + "\n" }.joined() + verdict + "\n"
    }
}
