// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Turns files into a configuration: groups them, merges each group through its table of keys, then checks references.
struct Loader {
    private let files: [ConfigurationFile]
    private var loaded = Configuration.Loaded()
    /// Where each view's `Pool=` stands, or else its file.
    private var poolReferences: [String: (path: String, line: Int?)] = [:]

    init(files: [ConfigurationFile]) {
        // Main files first, then drop-ins by file name, whatever directory order the caller found them in.
        self.files = files.sorted { a, b in
            if a.isDropIn != b.isDropIn { return b.isDropIn }
            let (nameA, nameB) = (Self.lastComponent(a.path), Self.lastComponent(b.path))
            return nameA != nameB ? bytewise(nameA, nameB) : bytewise(a.path, b.path)
        }
    }

    mutating func run() -> Configuration.Loaded {
        loadDaemon()
        loadPools()
        loadViews()
        loaded.diagnostics = sorted(loaded.diagnostics)
        return loaded
    }

    private mutating func loadDaemon() {
        let group = files.filter { $0.kind == .daemon }
        var merger = Merger<DaemonSettings>()
        merger.merge(group)
        loaded.diagnostics += merger.diagnostics
        loaded.isDaemonRejected = merger.hasErrors
        if !merger.hasErrors { loaded.configuration.daemon = merger.settings }
    }

    private mutating func loadPools() {
        let groups = grouped { kind in if case .pool(let name) = kind { name } else { nil } }
        for (name, group) in groups {
            guard isUsable(name, "pool", group, needsFile: name != "default") else {
                loaded.rejectedPools.insert(name)
                continue
            }
            var merger = Merger<PoolSettings>()
            merger.merge(group)
            loaded.diagnostics += merger.diagnostics
            if merger.hasErrors {
                loaded.rejectedPools.insert(name)
            } else {
                loaded.configuration.pools[name] = merger.settings
            }
        }
        // Views must not silently run on other settings than the broken file meant.
        for name in loaded.rejectedPools { loaded.configuration.pools[name] = nil }
    }

    private mutating func loadViews() {
        let groups = grouped { kind in if case .view(let name) = kind { name } else { nil } }
        for (name, group) in groups {
            guard isUsable(name, "view", group, needsFile: true) else {
                loaded.rejectedViews.insert(name)
                continue
            }
            var merger = Merger<ViewSettings>()
            merger.merge(group)
            let main = group.first?.path ?? name
            if !merger.hasErrors, merger.settings.url.isEmpty {
                merger.report(
                    path: main, line: nil, key: "URL", "there is no URL= in [View]",
                    "add one, for example URL=https://example.org/")
            }
            let place = merger.places["Pool"] ?? (main, nil)
            if !merger.hasErrors { checkPool(merger.settings.pool, at: place, &merger) }
            loaded.diagnostics += merger.diagnostics
            if merger.hasErrors {
                loaded.rejectedViews.insert(name)
            } else {
                loaded.configuration.views[name] = merger.settings
            }
        }
        checkCount()
    }

    private func checkPool(_ pool: String, at place: (path: String, line: Int?), _ merger: inout Merger<ViewSettings>) {
        guard loaded.configuration.pools[pool] == nil else { return }
        if loaded.rejectedPools.contains(pool) {
            merger.report(
                path: place.path, line: place.line, key: "Pool", "pool '\(printable(pool))' cannot be used",
                "mend the errors in its own file first")
            return
        }
        let names = loaded.configuration.pools.keys.sorted(by: bytewise)
        let list = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        let hint = nearestName(to: pool, among: names).map { "did you mean '\($0)'? " } ?? ""
        merger.report(
            path: place.path, line: place.line, key: "Pool",
            "there is no pool '\(printable(pool))'", hint + "there are: \(list)")
    }

    private mutating func checkCount() {
        let count = loaded.configuration.views.count
        let limit = loaded.configuration.daemon.maximumViews
        guard count > limit else { return }
        let surplus = loaded.configuration.views.keys.sorted(by: bytewise).dropFirst(limit)
        for name in surplus {
            loaded.configuration.views[name] = nil
            loaded.rejectedViews.insert(name)
        }
        loaded.diagnostics.append(
            Diagnostic(
                .error, path: DaemonSettings.file, key: "MaximumViews",
                message: "there are \(count) views, but MaximumViews=\(limit)",
                remedy: "raise it or remove views; '\(surplus.first ?? "")' and those after it are left out"))
    }

    /// Whether a pool or view of this name can exist at all.
    private mutating func isUsable(
        _ name: String, _ what: String, _ group: [ConfigurationFile], needsFile: Bool
    ) -> Bool {
        let path = group.first?.path ?? name
        if let problem = ConfigurationName.problem(with: name) {
            loaded.diagnostics.append(
                Diagnostic(
                    .error, path: path, message: "the \(what)'s name '\(printable(name))' \(problem)",
                    remedy: ConfigurationName.rule))
            return false
        }
        if needsFile, group.allSatisfy(\.isDropIn) {
            loaded.diagnostics.append(
                Diagnostic(
                    .error, path: path, message: "this extends \(what) '\(name)', which has no file",
                    remedy: "add \(what)s/\(name).\(what) or remove this one"))
            return false
        }
        return true
    }

    private func grouped(_ name: (ConfigurationFile.Kind) -> String?) -> [(String, [ConfigurationFile])] {
        var groups: [String: [ConfigurationFile]] = [:]
        for file in files {
            if let name = name(file.kind) { groups[name, default: []].append(file) }
        }
        return groups.sorted { bytewise($0.key, $1.key) }.map { ($0.key, $0.value) }
    }

    private func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.sorted { a, b in
            a.path != b.path ? bytewise(a.path, b.path) : (a.line ?? 0) < (b.line ?? 0)
        }
    }

    private static func lastComponent(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

/// The order of `LC_ALL=C ls`, which does not depend on Unicode tables.
func bytewise(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
