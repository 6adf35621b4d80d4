// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Why a value was not taken, as the end of a sentence that starts with the assignment: "is not a time span".
struct ValueProblem: Error, Equatable, Sendable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}

/// How one type of value is written: what parses it also documents it.
struct ValueType<Value: Equatable & Sendable>: Sendable {
    /// "time span"
    let name: String
    /// What is allowed, for tables and remedies: "100ms to 1h".
    let range: String
    let parse: @Sendable (String) throws(ValueProblem) -> Value
}

extension ValueType where Value == Bool {
    static var boolean: Self {
        Self(name: "boolean", range: "yes, no") { text throws(ValueProblem) in
            guard let value = Quantity.boolean(text) else { throw ValueProblem("is neither yes nor no") }
            return value
        }
    }
}

extension ValueType where Value == Bool? {
    /// Nil is `auto`.
    static var booleanOrAuto: Self {
        Self(name: "boolean or auto", range: "auto, yes, no") { text throws(ValueProblem) in
            if text == "auto" { return nil }
            guard let value = Quantity.boolean(text) else { throw ValueProblem("is neither auto, yes nor no") }
            return value
        }
    }
}

extension ValueType where Value == Int {
    static func number(_ range: ClosedRange<Int>) -> Self {
        Self(name: "number", range: "\(range.lowerBound) to \(range.upperBound)") { text throws(ValueProblem) in
            try parseNumber(text, in: range)
        }
    }
}

extension ValueType where Value == Int? {
    /// Nil is `auto`.
    static func numberOrAuto(_ range: ClosedRange<Int>) -> Self {
        Self(
            name: "number or auto", range: "auto, \(range.lowerBound) to \(range.upperBound)"
        ) { text throws(ValueProblem) in
            text == "auto" ? nil : try parseNumber(text, in: range)
        }
    }
}

private func parseNumber(_ text: String, in range: ClosedRange<Int>) throws(ValueProblem) -> Int {
    guard let value = Quantity.wholeNumber(text) else { throw ValueProblem("is not a whole number") }
    guard value >= range.lowerBound else { throw ValueProblem("is too small") }
    guard value <= range.upperBound else { throw ValueProblem("is too large") }
    return value
}

extension ValueType where Value == Duration {
    /// With `orInfinity`, `infinity` is allowed above the range too.
    static func timeSpan(_ range: ClosedRange<Duration>, orInfinity: Bool = false) -> Self {
        let (low, high) = (Quantity.text(of: range.lowerBound), Quantity.text(of: range.upperBound))
        return Self(
            name: "time span", range: "\(low) to \(high)" + (orInfinity ? ", infinity" : "")
        ) { text throws(ValueProblem) in
            guard let value = Quantity.timeSpan(text) else { throw ValueProblem("is not a time span") }
            if orInfinity, value == Quantity.forever { return value }
            guard value >= range.lowerBound else { throw ValueProblem("is too short") }
            guard value <= range.upperBound else { throw ValueProblem("is too long") }
            return value
        }
    }
}

extension ValueType where Value == Duration? {
    /// Nil is `auto`.
    static func timeSpanOrAuto(_ range: ClosedRange<Duration>) -> Self {
        let span = ValueType<Duration>.timeSpan(range)
        return Self(name: "time span or auto", range: "auto, " + span.range) { text throws(ValueProblem) in
            text == "auto" ? nil : try span.parse(text)
        }
    }
}

extension ValueType where Value == String? {
    /// Nil is the built-in default.
    static var absolutePath: Self {
        Self(name: "path", range: "an absolute path") { text throws(ValueProblem) in
            try parseAbsolutePath(text)
        }
    }

    static func optional(_ type: ValueType<String>) -> Self {
        Self(name: type.name, range: type.range) { text throws(ValueProblem) in try type.parse(text) }
    }
}

/// Checks what every path of a configuration has to be; returns it without a slash at the end.
func parseAbsolutePath(_ text: String) throws(ValueProblem) -> String {
    guard text.hasPrefix("/") else { throw ValueProblem("is not an absolute path") }
    guard text.utf8.count < 4096 else { throw ValueProblem("is longer than 4095 bytes") }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw ValueProblem("contains a control character")
    }
    guard !text.split(separator: "/").contains("..") else { throw ValueProblem("contains '..'") }
    var path = text
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
}

extension ValueType where Value == String {
    /// A name, without white space or control characters.
    static func word(_ what: String, range: String) -> Self {
        Self(name: what, range: range) { text throws(ValueProblem) in
            guard text.utf8.count <= 255 else { throw ValueProblem("is longer than 255 bytes") }
            guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                throw ValueProblem("contains white space or a control character")
            }
            return text
        }
    }

    static var name: Self {
        Self(name: "name", range: "1 to 64 of A-Z a-z 0-9 . _ -") { text throws(ValueProblem) in
            if let problem = ConfigurationName.problem(with: text) { throw ValueProblem(problem) }
            return text
        }
    }

    static var url: Self {
        Self(name: "URL", range: "http:, https:, file: or about:") { text throws(ValueProblem) in
            if let problem = PageURL.problem(with: text) { throw ValueProblem(problem) }
            return text
        }
    }
}
