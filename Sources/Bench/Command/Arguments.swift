// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// A command line, taken apart: `--name VALUE`, `--name=VALUE`, `--flag` and what is left.
package struct Arguments: Sendable, Equatable {
    package struct Misuse: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    private var values: [String: String] = [:]
    private var flags: Set<String> = []
    package private(set) var rest: [String] = []

    /// Takes `arguments` apart. Throws `Misuse`, which names what is wrong: an unknown option, a missing value, or more
    /// than `restLimit` other arguments.
    package init(
        _ arguments: some Sequence<String>, values valueNames: Set<String>, flags flagNames: Set<String>,
        restLimit: Int = 0
    ) throws(Misuse) {
        var waiting = Array(arguments)[...]
        while let argument = waiting.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                rest.append(argument)
                guard rest.count <= restLimit else {
                    throw Misuse(description: "'\(argument)' is one argument too many")
                }
                continue
            }
            let name = String(argument.drop { $0 == "-" }.prefix { $0 != "=" })
            let given = argument.firstIndex(of: "=").map { String(argument[argument.index(after: $0)...]) }
            if flagNames.contains(name), given == nil {
                flags.insert(name)
            } else if valueNames.contains(name) {
                guard let value = given ?? waiting.popFirst() else {
                    throw Misuse(description: "--\(name) needs a value")
                }
                values[name] = value
            } else {
                throw Misuse(description: "there is no option '\(argument)'")
            }
        }
    }

    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    package func text(_ name: String) -> String? { values[name] }

    /// A whole number within a range, or `fallback` if the option was not given. Throws `Misuse` if it is anything else.
    package func number<T: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<T>, fallback: T
    ) throws(Misuse) -> T {
        guard let text = values[name] else { return fallback }
        guard let value = T(text), range.contains(value) else {
            throw Misuse(
                description: "--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return value
    }

    /// One of a set of words. Throws `Misuse` if it is another.
    package func choice<T: RawRepresentable & CaseIterable>(_ name: String, fallback: T) throws(Misuse) -> T
    where T.RawValue == String {
        guard let text = values[name] else { return fallback }
        guard let value = T(rawValue: text) else {
            let words = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw Misuse(description: "--\(name) takes one of \(words), not '\(text)'")
        }
        return value
    }
}
