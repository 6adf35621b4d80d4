// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What has to be there again after a kill.
package struct ExpectedState: Sendable, Equatable {
    package var form: FormValues
    /// CSS pixels from the top.
    package var scroll: Int
    /// Cookies that relightd had acknowledged: name and value.
    package var cookies: [String: String]
    /// What the restored page's address has to contain.
    package var addressMark: String

    package init(form: FormValues, scroll: Int, cookies: [String: String], addressMark: String) {
        self.form = form
        self.scroll = scroll
        self.cookies = cookies
        self.addressMark = addressMark
    }
}

/// What the page server saw of one view around one kill. All times are `MonotonicClock` microseconds.
package struct KillEvidence: Sendable {
    package var view: String
    package var killedAt: UInt64
    /// When relightd called the incident closed.
    package var closedAt: UInt64
    /// The number of the page load that was on screen at the kill.
    package var oldLoad: Int
    /// All requests from some seconds before the kill on.
    package var requests: [LoggedRequest]

    package init(view: String, killedAt: UInt64, closedAt: UInt64, oldLoad: Int, requests: [LoggedRequest]) {
        self.view = view
        self.killedAt = killedAt
        self.closedAt = closedAt
        self.oldLoad = oldLoad
        self.requests = requests.filter { $0.parameter("view") == view }
    }

    /// The newest load of the page that began after the kill; nil if the page went on without one.
    package var newLoad: LoggedRequest? {
        requests.last { $0.at >= killedAt && ($0.load ?? 0) > oldLoad }
    }

    /// When the new load said that it had been painted; nil if it did not.
    package var beaconAt: UInt64? {
        guard let load = newLoad?.load else { return nil }
        return requests.first { $0.path == "/painted" && $0.parameter("load") == "\(load)" }?.at
    }

    package var reports: [PageReport] { requests.compactMap { PageReport($0) } }
}

/// What was lost in one kill of one view, judged from outside alone.
package struct KillVerdict: Sendable, Equatable {
    /// How far the scroll position may be off, in CSS pixels.
    package static let scrollTolerance = 2
    /// How old restored input and counters may be, in microseconds.
    package static let ageLimit: UInt64 = 1_000_000

    /// Names of acknowledged cookies that the next request did not carry, or not with their value.
    package var lostCookies: [String] = []
    /// What was restored too old or not at all, in words.
    package var stale: [String] = []
    /// How much of the counters' time was lost, in microseconds; nil if they could not be read.
    package var lostLocalStorage: UInt64?
    package var lostIndexedDB: UInt64?
    /// Requests between the kill and the incident's end that came without an acknowledged cookie.
    package var requestsWithoutCookies = 0
    /// False if no request came after the recovery at all.
    package var isBack = false

    /// - Parameters:
    ///   - evidence: what the server saw.
    ///   - expected: what must be there again.
    package init(_ evidence: KillEvidence, expected: ExpectedState) {
        let newLoad = evidence.newLoad
        let witness = newLoad ?? evidence.requests.first { $0.at > evidence.closedAt }
        if let witness {
            isBack = true
            lostCookies = Self.lost(expected.cookies, in: witness)
            if newLoad != nil && !witness.target.contains(expected.addressMark) {
                stale.append("the address came back as \(witness.target)")
            }
        }
        requestsWithoutCookies = evidence.requests.count {
            $0.at > evidence.killedAt && $0.at <= evidence.closedAt && !Self.lost(expected.cookies, in: $0).isEmpty
        }
        judgeInput(evidence, expected, load: newLoad?.load ?? evidence.oldLoad)
        lostLocalStorage = judgeCounter("localStorage", evidence, \.localStorage, \.localStorageAtLoad)
        lostIndexedDB = judgeCounter("IndexedDB", evidence, \.indexedDB, \.indexedDBAtLoad)
    }

    private static func lost(_ cookies: [String: String], in request: LoggedRequest) -> [String] {
        cookies.filter { request.cookie($0.key) != $0.value }.keys.sorted()
    }

    private mutating func judgeInput(_ evidence: KillEvidence, _ expected: ExpectedState, load: Int) {
        guard let report = evidence.reports.last(where: { $0.at > evidence.closedAt && $0.load == load }) else {
            isBack = false
            return
        }
        if report.form != expected.form { stale.append("the form came back as \(report.form)") }
        if abs(report.scroll - expected.scroll) > Self.scrollTolerance {
            stale.append("the page is scrolled to \(report.scroll), not to \(expected.scroll)")
        }
    }

    /// How much time passed, up to the kill, since the first increment that did not come back.
    private mutating func judgeCounter(
        _ name: String, _ evidence: KillEvidence, _ value: KeyPath<PageReport, Int?>,
        _ atLoad: KeyPath<PageReport, Int?>
    ) -> UInt64? {
        let reports = evidence.reports
        let restored: Int?
        if let load = evidence.newLoad?.load {
            restored = reports.first { $0.load == load && $0[keyPath: atLoad] != nil }?[keyPath: atLoad]
        } else {
            // Without a new load, the first increment after the recovery tells what it was built upon.
            restored = reports.first { $0.at > evidence.closedAt && $0[keyPath: value] != nil }?[keyPath: value]
        }
        guard let restored else {
            stale.append("the counter in \(name) did not come back")
            return nil
        }
        let firstLost = reports.first { $0.at <= evidence.killedAt && ($0[keyPath: value] ?? -1) > restored }
        let lost = firstLost.map { evidence.killedAt - $0.at } ?? 0
        if lost > Self.ageLimit {
            stale.append("the counter in \(name) lost \(Distribution.milliseconds(lost)) ms")
        }
        return lost
    }
}
