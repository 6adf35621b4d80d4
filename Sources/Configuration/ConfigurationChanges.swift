// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What a reload has to do. Names are sorted; whatever is not named stays untouched.
package struct ConfigurationChanges: Equatable, Sendable {
    package struct Change: Equatable, Sendable {
        package var name: String
        /// The keys whose values differ, in the order of the reference.
        package var keys: [String]
    }

    package var addedPools: [String] = []
    package var removedPools: [String] = []
    package var changedPools: [Change] = []
    package var addedViews: [String] = []
    package var removedViews: [String] = []
    package var changedViews: [Change] = []
    /// Keys of `[Relight]` that differ.
    package var daemonKeys: [String] = []

    package var isEmpty: Bool { self == Self() }

    package init() {}
}

extension Configuration {
    /// What differs between two configurations. A view whose pool changed, itself unchanged, is not listed.
    package static func changes(from old: Configuration, to new: Configuration) -> ConfigurationChanges {
        var changes = ConfigurationChanges()
        (changes.addedPools, changes.removedPools, changes.changedPools) = compare(old.pools, new.pools)
        (changes.addedViews, changes.removedViews, changes.changedViews) = compare(old.views, new.views)
        changes.daemonKeys = differingKeys(old.daemon, new.daemon)
        return changes
    }

    private static func compare<Settings: SettingsSection>(
        _ old: [String: Settings], _ new: [String: Settings]
    ) -> (added: [String], removed: [String], changed: [ConfigurationChanges.Change]) {
        let added = new.keys.filter { old[$0] == nil }.sorted(by: bytewise)
        let removed = old.keys.filter { new[$0] == nil }.sorted(by: bytewise)
        let changed = new.keys.sorted(by: bytewise).compactMap { name -> ConfigurationChanges.Change? in
            guard let before = old[name], let after = new[name] else { return nil }
            let keys = differingKeys(before, after)
            return keys.isEmpty ? nil : ConfigurationChanges.Change(name: name, keys: keys)
        }
        return (added, removed, changed)
    }

    private static func differingKeys<Settings: SettingsSection>(_ old: Settings, _ new: Settings) -> [String] {
        Settings.keys.filter { $0.differs(old, new) }.map(\.name)
    }
}
