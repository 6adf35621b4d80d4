// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// What the demo page told the server of itself, some ten times a second.
package struct PageReport: Sendable, Equatable {
    package var at: UInt64
    package var view: String
    package var load: Int
    /// CSS pixels from the top.
    package var scroll: Int
    /// The newest value written to localStorage, and the value found when the page was loaded; nil if not yet known.
    package var localStorage: Int?
    package var localStorageAtLoad: Int?
    package var indexedDB: Int?
    package var indexedDBAtLoad: Int?
    package var form: FormValues

    /// Reads a logged request; nil if it is no report.
    package init?(_ request: LoggedRequest) {
        guard request.path == "/report" else { return nil }
        let pairs = FormCoding.pairs(of: request.target.drop { $0 != "?" }.dropFirst())
        let fields = Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        func count(_ name: String) -> Int? { fields[name].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 } }
        guard let view = fields["view"], let load = count("load"), let scroll = fields["scroll"].flatMap({ Int($0) }),
            let form = try? JSON.decode(FormValues.self, from: Array((fields["form"] ?? "").utf8))
        else { return nil }
        self.at = request.at
        self.view = view
        self.load = load
        self.scroll = scroll
        localStorage = count("ls")
        localStorageAtLoad = count("ls0")
        indexedDB = count("idb")
        indexedDBAtLoad = count("idb0")
        self.form = form
    }
}
