// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The configuration files of a measurement's own relightd.
package struct RigConfiguration: Sendable {
    package struct Pool: Sendable {
        package var name: String
        /// Keys and values of `[Pool]`, in order.
        package var settings: [(key: String, value: String)]
        package init(name: String, settings: [(key: String, value: String)]) {
            self.name = name
            self.settings = settings
        }
    }

    package struct View: Sendable {
        package var name: String
        package var pool: String
        package var url: String
        package init(name: String, pool: String, url: String) {
            self.name = name
            self.pool = pool
            self.url = url
        }
    }

    package var daemon: [(key: String, value: String)] = []
    package var pools: [Pool]
    package var views: [View]

    package init(pools: [Pool], views: [View]) {
        self.pools = pools
        self.views = views
    }

    /// A pool on an X display, as a kiosk would have it, but for one thing: a storm kills more often than any crash
    /// loop, so that the limit of crash loops is put out of its way.
    package static func kioskPool(_ name: String, display: String, warmSlots: Int) -> Pool {
        Pool(
            name: name,
            settings: [
                ("Renderer", "webkit"), ("WarmSlots", "\(warmSlots)"), ("Standby", "yes"), ("Display", display),
                ("Curtain", "yes"), ("StartLimitBurst", "1000"),
            ])
    }

    /// Writes the files below a directory.
    func write(into scratch: ScratchDirectory, directory: String) throws {
        for folder in ["", "/pools", "/views"] { _ = try scratch.directory(directory + folder) }
        func text(_ section: String, _ settings: [(key: String, value: String)]) -> String {
            "[\(section)]\n" + settings.map { "\($0.key)=\($0.value)\n" }.joined()
        }
        try scratch.write("\(directory)/relight.conf", text("Relight", daemon))
        for pool in pools {
            try scratch.write("\(directory)/pools/\(pool.name).pool", text("Pool", pool.settings))
        }
        for view in views {
            try scratch.write(
                "\(directory)/views/\(view.name).view", text("View", [("URL", view.url), ("Pool", view.pool)]))
        }
    }
}
