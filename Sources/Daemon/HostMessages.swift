// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Configuration
import Cookies
import Platform
import Supervision
import Systemd
import Wire

/// What hosts say.
extension Daemon {
    func receive(_ message: HostMessage, _ descriptors: [FileDescriptor], from host: RunningHost) {
        if case .hello(let hello) = message { return greet(host, hello) }
        guard host.isGreeted else {
            return protocolBroken(by: host, "its first message was not hello")
        }
        let id = host.id
        switch message {
        case .hello: break
        case .slotReady(let ready):
            host.contentPIDs[ready.slot] = ready.contentPID
            if !host.bound.contains(ready.slot) { host.warm.insert(ready.slot) }
            post(.slotReady(id, slot: ready.slot))
        case .slotLost(let lost): slotLost(lost, host)
        case .processes(let processes):
            host.networkPID = processes.networkPID
            host.helperPIDs = processes.helperPIDs
            for content in processes.content { host.contentPIDs[content.slot] = content.pid }
        case .networkLost(let lost):
            log(
                "the network process \(lost.pid) of \(name(of: id)) died; its cookies are put back", .warning,
                .networkProcessLost, pool: host.pool, host: id)
            restoreCookies(to: host)
            post(.networkLost(id, at: moment(lost.detectedAt)))
        case .navigation(let navigation): navigated(navigation, host)
        case .progress(let progress):
            guard let step = Incident.Step(rawValue: progress.step.rawValue) else { return }
            if step == .failed {
                log(
                    "\(name(of: id)) could not show a view in slot \(progress.slot): \(progress.detail ?? "no reason given")",
                    .warning, .recoveryFailed, view: view(in: host, progress.slot), host: id)
            }
            post(
                .progress(
                    id, slot: progress.slot, bind: progress.bind, step: step, at: moment(progress.at),
                    detail: progress.detail))
        case .cookies(let report): receive(report, from: host)
        case .pageState(let report): receive(report, from: host)
        case .picture(let picture): receive(picture, descriptors, from: host)
        case .pong(let pong):
            let silent = pong.slots.map { ($0.slot, Duration.microseconds(Int64(clamping: $0.silence))) }
            post(.pong(id, silent: Dictionary(silent, uniquingKeysWith: { $1 })))
        case .reply(let reply): answer(reply, descriptors.first, from: id)
        case .log(let line):
            let priority = JournalPriority(rawValue: line.priority) ?? .info
            log("\(name(of: id)): \(line.text)", priority, pool: host.pool, host: id)
        }
    }

    private func greet(_ host: RunningHost, _ hello: HostMessage.Hello) {
        guard !host.isGreeted else { return protocolBroken(by: host, "it said hello twice") }
        guard hello.protocolVersion == RendererProtocol.version else {
            return protocolBroken(
                by: host,
                "it speaks version \(hello.protocolVersion) of the renderer protocol, relightd speaks "
                    + "\(RendererProtocol.version); install matching packages")
        }
        host.isGreeted = true
        let pool = host.pool
        let directory = dataDirectory(of: pool)
        do {
            try Directory.make(directory + "/data")
            try Directory.make(directory + "/cache")
        } catch {
            log(
                "\(error); the host runs without it. Make \(stateDirectory) writable for relightd", .error,
                .snapshotStoreFailed, pool: pool)
        }
        let settings = pools[pool]?.settings
        let isHeadless = settings?.display == .headless
        send(
            .welcome(
                .init(
                    pool: pool, dataDirectory: directory + "/data", cacheDirectory: directory + "/cache",
                    warmSlots: host.warmSlots, isStandby: host.role == .standby, cookies: pools[pool]?.cookies ?? [],
                    width: isHeadless ? settings?.geometry.width ?? 0 : 0,
                    height: isHeadless ? settings?.geometry.height ?? 0 : 0)),
            to: host.id)
        log("\(name(of: host.id)) is ready", .info, .hostReady, pool: pool, host: host.id)
        if pools[pool]?.hasStarted == false, host.role == .active {
            pools[pool]?.hasStarted = true
            log("pool \(pool) is up", .info, .poolStarted, pool: pool, host: host.id)
        }
        publish("hostReady", pool: pool, "\(name(of: host.id)) is ready")
        post(.hostGreeted(host.id))
        startNext()
        if case .curtain(let view) = host.role { drawCurtain(view) }
    }

    private func slotLost(_ lost: HostMessage.SlotLost, _ host: RunningHost) {
        let reason: LossReason =
            switch lost.reason {
            case .crashed, .terminated: .crashed
            case .exceededMemory: .memory
            case .unresponsive: .unresponsive
            case .closed: .closed
            }
        if let pid = lost.contentPID { host.contentPIDs[lost.slot] = pid }
        host.warm.remove(lost.slot)
        post(.slotLost(host.id, slot: lost.slot, reason, at: moment(lost.detectedAt)))
        host.bound.remove(lost.slot)
        host.contentPIDs[lost.slot] = nil
    }

    /// A host's word about time, never later than our own.
    private func moment(_ microseconds: UInt64) -> Instant {
        min(Instant(microseconds: microseconds), now)
    }

    /// The name of the view that a slot shows.
    func view(in host: RunningHost, _ slot: Int) -> String? {
        views.values.first { $0.place?.host == host.id && $0.place?.slot == slot }?.name
    }

    private func navigated(_ navigation: HostMessage.Navigation, _ host: RunningHost) {
        guard let name = view(in: host, navigation.slot) else { return }
        switch navigation.phase {
        case .committed, .finished, .changed:
            views[name]?.url = navigation.url
            views[name]?.title = navigation.title
        case .started, .redirected: break
        case .failed:
            log(
                "view \(name) could not load \(navigation.url): \(navigation.error ?? "unknown reason")", .warning,
                view: name, host: host.id)
        }
        publish(
            "navigated", view: name,
            "\(navigation.phase.rawValue) \(navigation.url)" + (navigation.status.map { " (\($0))" } ?? ""))
    }

    private func receive(_ report: HostMessage.PageStateReport, from host: RunningHost) {
        guard let name = view(in: host, report.slot), let view = views[name] else { return }
        // A slot that shows about:blank between two pages must not replace what is worth keeping (FAILURES, R24).
        guard report.state.url != "about:blank" || view.wantedURL == "about:blank" else { return }
        guard !report.state.url.isEmpty, report.state != view.pageState else { return }
        views[name]?.pageState = report.state
        views[name]?.isStateDirty = true
        armStoreTimer()
    }

    private func receive(
        _ picture: HostMessage.Picture, _ descriptors: [FileDescriptor], from host: RunningHost
    ) {
        guard let memory = descriptors.first, let name = view(in: host, picture.slot) else { return }
        views[name]?.picture = (picture, memory)
        drawCurtain(name)
    }

    /// Gives a view's last good frame to its curtain.
    private func drawCurtain(_ name: String) {
        guard let picture = views[name]?.picture,
            let curtain = hosts.values.first(where: { $0.role == .curtain(view: name) && $0.isGreeted })
        else { return }
        send(.curtain(picture.description), descriptors: [picture.memory], to: curtain.id)
    }

    func dataDirectory(of pool: String) -> String {
        pools[pool]?.settings.dataDirectory ?? stateDirectory + "/pools/" + pool
    }
}
