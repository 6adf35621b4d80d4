// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Wire

/// The slots of a host, by number: which are being made, which are warm, and which show what. Numbers count up from 1
/// and are never used again, so that a late message cannot reach another slot. `Payload` is the engine's part.
package struct SlotTable<Payload> {
    package enum State: Equatable {
        case preparing
        case warm
        /// `bind` is the number that relightd gave.
        case bound(bind: UInt64, view: String)
    }

    /// Why a `bind` cannot be done.
    package enum Refusal: Error, Equatable, CustomStringConvertible {
        case noSuchSlot(Int)
        case notWarm(Int)

        package var description: String {
            switch self {
            case .noSuchSlot(let slot): "there is no slot \(slot)"
            case .notWarm(let slot): "slot \(slot) is not warm"
            }
        }
    }

    package struct Entry {
        package let number: Int
        package fileprivate(set) var state: State
        package var payload: Payload
    }

    private var entries: [Int: Entry] = [:]
    private var lastNumber = 0
    /// How many warm slots relightd wants besides the bound ones.
    package var wantedWarm = 0

    package init() {}

    package var all: [Entry] { entries.values.sorted { $0.number < $1.number } }
    package var isEmpty: Bool { entries.isEmpty }

    package subscript(slot: Int) -> Entry? { entries[slot] }

    /// How many slots must be made now: warm ones and those under way count.
    package var missingWarm: Int {
        let spare = entries.values.count { entry in
            if case .bound = entry.state { false } else { true }
        }
        return max(0, wantedWarm - spare)
    }

    /// The slot that shows a view, if any; the latest bind counts.
    package func slot(showing view: String) -> Entry? {
        all.last { entry in
            if case .bound(_, view) = entry.state { true } else { false }
        }
    }

    /// The number of the bind under which a slot works; nil if it is not bound.
    package func bind(of slot: Int) -> UInt64? {
        guard case .bound(let bind, _) = entries[slot]?.state else { return nil }
        return bind
    }

    /// A new slot, in state `preparing`; `make` gets its number.
    package mutating func add(_ make: (Int) throws -> Payload) rethrows -> Entry {
        lastNumber += 1
        let entry = Entry(number: lastNumber, state: .preparing, payload: try make(lastNumber))
        entries[entry.number] = entry
        return entry
    }

    /// Makes a slot warm; false if it is gone, or not `preparing`.
    package mutating func markWarm(_ slot: Int) -> Bool {
        guard entries[slot]?.state == .preparing else { return false }
        entries[slot]?.state = .warm
        return true
    }

    package mutating func bind(_ request: SupervisorMessage.Bind) throws(Refusal) -> Entry {
        guard var entry = entries[request.slot] else { throw .noSuchSlot(request.slot) }
        guard entry.state == .warm else { throw .notWarm(request.slot) }
        entry.state = .bound(bind: request.bind, view: request.view)
        entries[request.slot] = entry
        return entry
    }

    /// Forgets a slot that is lost or released.
    package mutating func remove(_ slot: Int) -> Entry? { entries.removeValue(forKey: slot) }
}
