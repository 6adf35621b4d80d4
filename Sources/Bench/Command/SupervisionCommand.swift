// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// `relight-bench supervision`.
enum SupervisionCommand {
    static func run(_ arguments: some Sequence<String>) throws -> BenchCommand.Exit {
        let arguments = try Arguments(arguments, values: ["hosts", "kills", "idle", "seed", "set"], flags: ["json"])
        var options = SupervisionOptions()
        options.hosts = try arguments.number("hosts", in: 1...10_000, fallback: options.hosts)
        options.kills = min(
            options.hosts, try arguments.number("kills", in: 1...10_000, fallback: options.kills))
        options.idleSeconds = try arguments.number("idle", in: 1...3600, fallback: options.idleSeconds)
        options.seed = try arguments.number("seed", in: 0...UInt64.max, fallback: options.seed)
        options.settings = try (arguments.text("set") ?? "").split(separator: ",").map {
            pair throws(Arguments.Misuse) in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw Arguments.Misuse(description: "--set takes KEY=VALUE, not '\(pair)'") }
            return (String(parts[0]), String(parts[1]))
        }
        let result = try SupervisionBench(options, progress: Progress()).run()
        if arguments.has("json") {
            Terminal.print(String(decoding: try JSON.encode(result), as: UTF8.self))
        } else {
            Terminal.print(table(result), terminator: "")
        }
        return result.recovered == result.kills && result.processesLeft == 0 ? .success : .lost
    }

    private static func table(_ result: SupervisionResult) -> String {
        func times(_ quantiles: Quantiles) -> String {
            "median \(Terminal.milliseconds(quantiles.p50)), p99 \(Terminal.milliseconds(quantiles.p99)), "
                + "max \(Terminal.milliseconds(quantiles.max))"
        }
        let rows = [
            ("hosts", "\(result.hosts), all ready after \(Terminal.milliseconds(result.start))"),
            ("killed, came back", "\(result.kills), \(result.recovered)"),
            ("kill to ready", times(result.killToReady)),
            ("kill to page fetched", times(result.killToFetched)),
            ("supervisor PSS", result.supervisorPSS.map { "\($0) KiB" } ?? "-"),
            ("host PSS, median", result.hostPSS.map { "\($0) KiB" } ?? "-"),
            ("idle CPU", "\(result.idleCPU) % over \(result.idleSeconds) s"),
            ("processes left", "\(result.processesLeft)"),
        ]
        return rows.map { Terminal.pad($0.0, 24) + $0.1 + "\n" }.joined()
            + result.wanted.map { wish in
                let mark = wish.isMet ? Terminal.green("met") : Terminal.red("not met")
                return "\(Terminal.pad(wish.name, 24))\(wish.value), wanted below \(wish.limit): \(mark)\n"
            }.joined()
    }
}
