// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// What the configuration files say, complete and valid.
package struct Configuration: Equatable, Sendable {
    package var daemon = DaemonSettings()
    /// By name; `default` is always there.
    package var pools: [String: PoolSettings] = ["default": PoolSettings()]
    /// By name; each view's pool is in `pools`.
    package var views: [String: ViewSettings] = [:]

    package init() {}

    /// What could be made of a set of files. Broken files do not spoil the others.
    package struct Loaded: Equatable, Sendable {
        /// Holds everything that is valid. A broken relight.conf leaves the defaults in `daemon`.
        package var configuration = Configuration()
        /// By file, then by line.
        package var diagnostics: [Diagnostic] = []
        /// Names with a file whose errors keep them out of `configuration`. A reload leaves these as they run.
        package var rejectedPools: Set<String> = []
        package var rejectedViews: Set<String> = []
        /// True if relight.conf or one of its drop-ins has errors.
        package var isDaemonRejected = false
        /// False if a directory could not be listed: what is not in `configuration` may well be there.
        package var isComplete = true

        package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

        package init() {}
    }

    /// Reads, merges and checks `files`, in any order; drop-ins are merged in the order of their file names.
    package static func load(_ files: [ConfigurationFile]) -> Loaded {
        var loader = Loader(files: files)
        return loader.run()
    }
}
