// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Merges the files of one pool, view or daemon, in order, through the section's table of keys.
struct Merger<Settings: SettingsSection> {
    var settings = Settings.defaults
    var diagnostics: [Diagnostic] = []
    /// Where each key got its value.
    var places: [String: (path: String, line: Int?)] = [:]

    var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    mutating func merge(_ files: [ConfigurationFile]) {
        for file in files { merge(file) }
        // Values that were not understood would only give follow-up errors here.
        guard !hasErrors else { return }
        for (key, message, remedy) in settings.contradictions() {
            let place = places[key] ?? places.values.first ?? (files.first?.path ?? Settings.file, nil)
            report(path: place.path, line: place.line, key: key, message, remedy)
        }
    }

    private mutating func merge(_ file: ConfigurationFile) {
        if let problem = file.problem {
            report(
                path: file.path, line: nil, key: nil, "it cannot be read: \(printable(problem))",
                "make it readable for relightd's user, or remove it")
            return
        }
        let document = INIDocument(path: file.path, bytes: file.bytes)
        diagnostics += document.diagnostics
        for header in document.sections where header.name != Settings.section && !isExtension(header.name) {
            let near = nearestName(to: header.name, among: [Settings.section])
            report(
                path: file.path, line: header.line, key: nil,
                "unknown section [\(printable(header.name))]",
                near.map { "did you mean [\($0)]?" } ?? "this file has a section [\(Settings.section)]")
        }
        var lines: [String: Int] = [:]
        for assignment in document.assignments where assignment.section == Settings.section {
            guard !isExtension(assignment.key) else { continue }
            apply(assignment, of: file, &lines)
        }
    }

    private mutating func apply(
        _ assignment: Assignment, of file: ConfigurationFile, _ lines: inout [String: Int]
    ) {
        guard let key = Settings.keys.first(where: { $0.name == assignment.key }) else {
            reportUnknown(assignment, of: file)
            return
        }
        if let earlier = lines[key.name], !key.reference.isList {
            diagnostics.append(
                Diagnostic(
                    .warning, path: file.path, line: assignment.line, column: assignment.column, key: key.name,
                    message: "\(key.name)= was set in line \(earlier) already", remedy: "this one counts"))
        }
        lines[key.name] = assignment.line
        places[key.name] = (file.path, assignment.line)
        guard !assignment.value.isEmpty else {
            key.reset(&settings)
            return
        }
        do {
            try key.assign(&settings, assignment.value)
        } catch {
            let shown = key.reference.isList ? "" : printable(assignment.value)
            report(
                path: file.path, line: assignment.line, column: assignment.column, key: key.name,
                "\(key.name)=\(shown) \(error.reason)",
                "allowed: \(key.reference.range); for example \(key.name)=\(key.reference.example)")
        }
    }

    private mutating func reportUnknown(_ assignment: Assignment, of file: ConfigurationFile) {
        let names = Settings.keys.map(\.name)
        let remedy: String
        if let elsewhere = Configuration.explain(assignment.key).first {
            remedy =
                elsewhere.section == Settings.section
                ? "write '\(elsewhere.name)'" : "it belongs into [\(elsewhere.section)] of \(elsewhere.file)"
        } else if let near = nearestName(to: assignment.key, among: names) {
            remedy = "did you mean '\(near)'?"
        } else {
            remedy = "known are: \(names.joined(separator: ", "))"
        }
        report(
            path: file.path, line: assignment.line, column: assignment.column, key: assignment.key,
            "unknown key '\(printable(assignment.key))' in [\(Settings.section)]", remedy)
    }

    mutating func report(
        path: String, line: Int?, column: Int? = nil, key: String?, _ message: String, _ remedy: String
    ) {
        diagnostics.append(
            Diagnostic(.error, path: path, line: line, column: column, key: key, message: message, remedy: remedy))
    }

    /// systemd's rule: names that start with `X-` are for others and never an error.
    private func isExtension(_ name: String) -> Bool { name.hasPrefix("X-") }
}
