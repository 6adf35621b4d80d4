// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// Relight with one warm slot and a standby host.
final class RelightSubject: RecoverySubject {
    private let target: Control.KillParameters.Target
    private var display: WatchedDisplay?
    private var rig: RelightRig?

    init(target: Control.KillParameters.Target) { self.target = target }

    var watcher: ScreenWatcher? { display?.watcher }

    func start(url: String) throws {
        let display = try WatchedDisplay()
        self.display = display
        rig = try RelightRig(
            RigConfiguration(
                pools: [RigConfiguration.kioskPool("bench", display: display.server.display, warmSlots: 1)],
                views: [.init(name: "page", pool: "bench", url: url)]),
            scratch: display.scratch)
        try settle()
    }

    func victim() throws -> Int32 {
        guard let rig else { throw BenchError("relightd is not started") }
        return try rig.pid(of: target, view: "page")
    }

    func settle() throws { try rig?.waitUntilSettled(warmSlots: 1, standby: true) }

    func stop() {
        rig?.stop()
        display?.stop()
        (rig, display) = (nil, nil)
    }
}
