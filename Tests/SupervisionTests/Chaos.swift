// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

@testable import Supervision

/// What goes wrong by itself, and what the operator does.
extension World {
    mutating func wreak() {
        guard !isHealthy else { return }
        schedule(.chaos, after: milliseconds(0...1500))
        let living = hosts.filter(\.value.isAlive).keys.sorted()
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: if let (host, slot) = randomSlot(living, { !$0.isWarm }) { loseSlot(slot, of: host) }
        case 30..<38: if let (host, slot) = randomSlot(living, { $0.isWarm }) { loseSlot(slot, of: host) }
        case 38..<46:
            if let (host, slot) = randomSlot(living, { !$0.isWarm }) { hosts[host]?.slots[slot]?.hungSince = now }
        case 46..<56:
            // All at once, now and then.
            let victims = chance(15) ? living : [living.randomElement(using: &random)].compactMap { $0 }
            for host in victims { perform(.die, host) }
        case 56..<62:
            guard let host = living.randomElement(using: &random) else { return }
            hosts[host]?.isHung = true
            if chance(50) { schedule(.act(host, .resume), after: milliseconds(100...30_000)) }
        case 62..<70:
            guard let host = living.randomElement(using: &random), hosts[host]?.isGreeted == true else { return }
            say(.networkLost(host, at: now), from: host, after: milliseconds(0...100))
        case 70..<73: starvedUntil = now + milliseconds(500...60_000)
        case 73..<76:
            if let host = living.randomElement(using: &random) { say(.hostFailed(host), from: host) }
        case 76..<80: receive(nonsense())
        default: operate()
        }
    }

    private mutating func randomSlot(
        _ living: [HostID], _ isWanted: (FakeHost.Slot) -> Bool
    ) -> (HostID, Int)? {
        let candidates = living.flatMap { id in
            (hosts[id]?.slots.filter { isWanted($0.value) }.keys.sorted() ?? []).map { (id, $0) }
        }
        return candidates.randomElement(using: &random)
    }

    // MARK: - The operator

    private mutating func operate() {
        let views = machine.views.keys.sorted()
        let pools = policies.keys.sorted()
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: if views.count < 8 { openView() }
        case 6..<10: if let view = views.randomElement(using: &random) { receive(.closeView(view)) }
        case 10..<13: if let view = views.randomElement(using: &random) { receive(.retryView(view)) }
        case 13..<18:
            guard let pool = pools.randomElement(using: &random), let old = policies[pool] else { return }
            configure(pool, randomPolicy(generation: old.generation + (chance(30) ? 1 : 0)))
        default:
            guard let pool = pools.randomElement(using: &random), let policy = policies[pool] else { return }
            receive(.removePool(pool))
            if chance(70) { configure(pool, policy) } else { policies[pool] = nil }
            if policies.isEmpty { configure(pool, policy) }
        }
    }

    mutating func configure(_ pool: String, _ policy: PoolPolicy) {
        policies[pool] = policy
        receive(.configurePool(pool, policy))
    }

    mutating func openView() {
        guard let pool = policies.keys.sorted().randomElement(using: &random) else { return }
        // Names come back, as they do in life.
        nextName = (nextName + 1) % 12
        receive(.openView("view\(nextName)", pool: pool))
    }

    mutating func randomPolicy(generation: Int) -> PoolPolicy {
        PoolPolicy(
            warmSlots: Int.random(in: 0...2, using: &random), keepsStandby: Bool.random(using: &random),
            hasCurtains: chance(30), heartbeatInterval: milliseconds(1000...5000),
            heartbeatTimeout: milliseconds(2000...15_000), helloTimeout: milliseconds(1000...10_000),
            recoveryTimeout: milliseconds(3000...30_000), stopTimeout: milliseconds(500...5000),
            backoff: Backoff(first: milliseconds(0...200), maximum: milliseconds(200...30_000)),
            startLimitBurst: Int.random(in: 1...6, using: &random), startLimitInterval: milliseconds(1000...60_000),
            generation: generation)
    }

    /// Events that refer to nothing, or to what is long gone, or come from a host that lies.
    private mutating func nonsense() -> Event {
        let host = HostID(UInt64.random(in: 0...(machine.hosts.keys.max()?.number ?? 0) + 2, using: &random))
        let slot = Int.random(in: -1...12, using: &random)
        let time = now + milliseconds(-5000...5000)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .hostSpawned(host)
        case 1: return .slotLost(host, slot: slot, .crashed, at: time)
        case 2: return .networkLost(host, at: time)
        case 3:
            return .progress(
                host, slot: slot, bind: .random(in: 0...20, using: &random), step: .failed, at: time, detail: nil)
        case 4: return .pong(host, silent: [slot: milliseconds(-10...40_000)])
        case 5: return .tick
        case 6: return .openView("view\(slot)", pool: "nowhere")
        case 7: return .closeView("nobody")
        case 8: return .retryView("nobody")
        case 9: return .removePool("nowhere")
        case 10: return .hostGreeted(HostID(host.number + 1000))
        default: return .hostExited(HostID(host.number + 1000))
        }
    }

    /// From now on nothing new breaks; what a healthy machine would do by itself happens.
    mutating func heal() {
        isHealthy = true
    }
}
