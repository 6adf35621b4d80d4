// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// What one kill did to all the views that it concerned.
struct RoundOutcome {
    var problems: [String] = []
    var lostCookies = 0
    var stale = 0
    var requestsWithoutCookies = 0
    var lostLocalStorage: UInt64?
    var lostIndexedDB: UInt64?
    /// Kill to painted, in microseconds, one a view.
    var recoveries: [UInt64] = []
    var white: UInt64 = 0
    /// What the screen showed in that time.
    var whiteLooks = ""
    var isAnyGone = false

    mutating func add(
        _ page: StormPage, _ evidence: KillEvidence, _ incident: Control.Incident, _ verdict: KillVerdict,
        _ record: ScreenRecord
    ) {
        if !verdict.isBack { isAnyGone = true }
        if incident.outcome != "recovered" {
            isAnyGone = true
            problems.append("\(page.view): the incident \(incident.id) ended as \(incident.outcome ?? "nothing")")
        }
        lostCookies += verdict.lostCookies.count
        stale += verdict.stale.isEmpty ? 0 : 1
        requestsWithoutCookies += verdict.requestsWithoutCookies
        lostLocalStorage = Self.larger(lostLocalStorage, verdict.lostLocalStorage)
        lostIndexedDB = Self.larger(lostIndexedDB, verdict.lostIndexedDB)
        if !verdict.lostCookies.isEmpty {
            problems.append("\(page.view): lost \(verdict.lostCookies.joined(separator: ", "))")
        }
        problems.append(contentsOf: verdict.stale.map { "\(page.view): \($0)" })
        if let painted = Self.paintedAt(evidence, incident, record), painted >= evidence.killedAt {
            recoveries.append(painted - evidence.killedAt)
        }
    }

    /// The first look at the screen that showed the new load; where the view is behind another one, its own word that
    /// it was painted; where the page went on without a new load, the end of the incident.
    private static func paintedAt(
        _ evidence: KillEvidence, _ incident: Control.Incident, _ record: ScreenRecord
    ) -> UInt64? {
        guard let load = evidence.newLoad?.load else { return evidence.closedAt }
        return record.firstPage(showing: load, after: evidence.killedAt) ?? evidence.beaconAt
    }

    private static func larger(_ a: UInt64?, _ b: UInt64?) -> UInt64? {
        guard let a, let b else { return a ?? b }
        return max(a, b)
    }
}
