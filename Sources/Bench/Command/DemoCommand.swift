// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// `relight-bench demo`.
enum DemoCommand {
    static func run(_ arguments: some Sequence<String>) throws -> BenchCommand.Exit {
        let arguments = try Arguments(arguments, values: ["output"], flags: [], restLimit: 1)
        if let url = arguments.rest.first, !url.contains("://") {
            throw Arguments.Misuse(description: "'\(url)' is no address: it needs http:// or the like before it")
        }
        let demo = try Demo(url: arguments.rest.first, output: arguments.text("output"))
        return try demo.run() ? .success : .lost
    }
}
