// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
import Wire

/// `relight-bench serve`.
enum ServeCommand {
    static func run(_ arguments: some Sequence<String>) throws -> BenchCommand.Exit {
        let arguments = try Arguments(arguments, values: ["port"], flags: ["log"])
        let server = try PageServer(port: try arguments.number("port", in: 0...65_535, fallback: 0))
        Terminal.print("serving \(server.url()) until interrupted")
        var position = 0
        while true {
            MonotonicClock.sleep(microseconds: 100_000)
            guard arguments.has("log") else { continue }
            let entries = server.log.entries(from: position)
            position += entries.count
            for entry in entries { Terminal.print(try line(entry)) }
        }
    }

    private static func line(_ entry: LoggedRequest) throws -> String {
        var fields: [String: JSONValue] = [
            "at": .integer(Int64(entry.at)), "method": .string(entry.method), "target": .string(entry.target),
            "cookie": .string(entry.cookieHeader),
        ]
        if let load = entry.load { fields["load"] = .integer(Int64(load)) }
        return String(decoding: try JSON.encode(JSONValue.object(fields)), as: UTF8.self)
    }
}
