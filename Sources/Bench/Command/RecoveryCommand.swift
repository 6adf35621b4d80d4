// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// `relight-bench recovery`.
enum RecoveryCommand {
    static func run(_ arguments: some Sequence<String>) throws -> BenchCommand.Exit {
        let arguments = try Arguments(arguments, values: ["kills", "rounds", "only"], flags: ["json"])
        let kills = try arguments.number("kills", in: 1...10_000, fallback: 20)
        let rounds = try arguments.number("rounds", in: 1...100, fallback: 2)
        var contenders = RecoveryContender.allCases
        if let only = arguments.text("only") {
            contenders = try only.split(separator: ",").map { name throws(Arguments.Misuse) in
                guard let contender = RecoveryContender(rawValue: String(name)) else {
                    let words = RecoveryContender.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Arguments.Misuse(description: "--only takes some of \(words), not '\(name)'")
                }
                return contender
            }
        }
        let result = try RecoveryBench(progress: Progress()).run(contenders, kills: kills, rounds: rounds)
        if arguments.has("json") {
            Terminal.print(String(decoding: try JSON.encode(result), as: UTF8.self))
        } else {
            Terminal.print(table(result), terminator: "")
        }
        return result.contenders.isEmpty ? .unavailable : .success
    }

    private static func table(_ result: RecoveryResult) -> String {
        func row(_ cells: [String]) -> String {
            cells.enumerated().map { Terminal.pad($0.element, $0.offset == 0 ? 18 : 12, left: $0.offset > 0) }
                .joined() + "\n"
        }
        var text = Terminal.bold(
            row(["kill to", "kills", "fetched", "painted", "p99", "max", "on screen", "white max"]))
        for contender in RecoveryContender.allCases {
            guard let figures = result.contenders[contender.rawValue] else { continue }
            text += row(
                [contender.rawValue, "\(figures.recovered)/\(figures.kills)"]
                    + [
                        figures.fetched?.p50, figures.painted?.p50, figures.painted?.p99, figures.painted?.max,
                        figures.screen?.p50, figures.white?.max,
                    ].map(Terminal.milliseconds))
        }
        for wish in result.wanted {
            let mark = wish.isMet ? Terminal.green("met") : Terminal.red("not met")
            text += "\(Terminal.pad(wish.name, 40)) \(wish.value), wanted at most \(wish.limit): \(mark)\n"
        }
        for (name, reason) in result.missing.sorted(by: { $0.key < $1.key }) {
            text += "\(name) is missing: \(reason)\n"
        }
        return text
    }
}
