// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import CWebKitGTK
import GTKSupport
import Glibc
import HostKit
import Platform
import Wire

/// The host: carries out what relightd says and reports what happens. All of it runs on GTK's thread.
final class Application {
    private let channel: HostChannel
    private let loop = MainLoop()
    private var source: ChannelSource?
    private(set) var engine: Engine?
    private let network = NetworkWatch()
    private(set) var cookies: CookieBridge?
    private var welcome: SupervisorMessage.Welcome?

    var slots = SlotTable<Slot>()
    var windows: [String: ViewWindow] = [:]
    var jobs: [Int: BindJob] = [:]
    var keepers: [Int: PageKeeper] = [:]
    private var processes = ContentProcesses()
    private var lastProcesses: HostMessage.Processes?
    private var processTimer: LoopSource?
    private var warmTimer: LoopSource?
    private var beatTimer: LoopSource?
    private var pendingReplies: [PendingReply] = []
    /// Warm slots that died one after the other: a spare that cannot live is not made anew without a pause.
    private var warmFailures: UInt32 = 0
    private var isStopping = false
    private var parking: ParkingWindow?

    init(channel: HostChannel) {
        self.channel = channel
    }

    func run() {
        source = ChannelSource(
            channel: channel, handle: { [weak self] in self?.handle($0) }, end: { [weak self] in self?.ended($0) })
        channel.sayHello(renderer: "webkit", version: Engine.version)
        loop.run()
    }

    func send(_ message: HostMessage, _ descriptors: [FileDescriptor] = []) {
        source?.send(message, descriptors: descriptors)
    }

    func log(_ priority: Int, _ text: String) {
        send(.log(HostMessage.Log(priority: priority, text: text)))
    }

    private func ended(_ reason: String?) {
        if let reason { HostLaunch.complain(program: "relight-webkit", reason) }
        stop()
    }

    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        HostStop.armDeadline()
        for keeper in keepers.values { keeper.stop() }
        loop.quit()
    }

    // MARK: - Messages

    private func handle(_ incoming: HostChannel.Incoming) {
        switch incoming.message {
        case .welcome(let welcome): start(welcome)
        case .setCookies(let request):
            let reply = pending(request.id, seconds: 10, late: "the engine did not take the cookies in time")
            guard let cookies else { return reply.fail("there was no welcome yet") }
            cookies.put(request.changes) { reply.succeed(nil) }
        case .cookiesStored(let sequence): cookies?.acknowledge(sequence)
        case .warm(let count):
            slots.wantedWarm = max(0, count)
            fillWarm()
        case .bind(let request): bind(request)
        case .release(let slot): release(slot)
        case .navigate(let request): navigate(request)
        case .evaluate(let request): evaluate(request)
        case .screenshot(let request): screenshot(request)
        case .capture(let request): capture(request)
        case .ping(let sequence): pong(sequence)
        case .curtain: log(4, "a browser host has no use for a curtain, ignoring it")
        case .stop: stop()
        }
    }

    private func start(_ welcome: SupervisorMessage.Welcome) {
        guard self.welcome == nil else { return introduceAgain() }
        self.welcome = welcome
        guard let engine = Engine(dataDirectory: welcome.dataDirectory, cacheDirectory: welcome.cacheDirectory)
        else {
            log(2, "WebKit gave no network session")
            return stop()
        }
        self.engine = engine
        let bridge = CookieBridge(manager: engine.cookieManager, network: network) { [weak self] in
            self?.send(.cookies($0))
        }
        cookies = bridge
        network.onLost = { [weak self] in self?.networkLost($0, $1) }
        beatTimer = .timer(milliseconds: 2000) { [weak self] in
            self?.beat()
            return true
        }
        slots.wantedWarm = max(0, welcome.warmSlots)
        fillWarm()
        bridge.putFirst(welcome.cookies) { [weak self] in self?.processesChanged() }
    }

    /// A restarted relightd took over: it gets to know what it cannot know.
    private func introduceAgain() {
        for report in cookies?.reporter.unacknowledged ?? [] { send(.cookies(report)) }
        for entry in slots.all where entry.state == .warm {
            send(.slotReady(.init(slot: entry.number, contentPID: processes[entry.number])))
        }
        for keeper in keepers.values { keeper.sendAll() }
        lastProcesses = nil
        reportProcesses()
    }

    var defaultSize: (width: Int, height: Int) { (welcome?.width ?? 0, welcome?.height ?? 0) }

    func pending(_ id: RequestID, seconds: UInt32, late: String) -> PendingReply {
        let reply = PendingReply(id: id, seconds: seconds, late: late) { [weak self] reply, descriptors in
            self?.send(.reply(reply), descriptors)
        }
        pendingReplies = pendingReplies.filter(\.isWaiting) + [reply]
        return reply
    }

    // MARK: - Warm slots

    /// Makes the next missing warm slot, unless a view is being brought back, which needs the processor more.
    func fillWarm() {
        guard !isStopping, let engine, slots.missingWarm > 0, warmTimer == nil else { return }
        if jobs.values.contains(where: { !$0.hasPainted && !$0.isOver }) { return }
        if slots.all.contains(where: { $0.state == .preparing }) { return }
        let delay = warmFailures == 0 ? 1 : min(30_000, UInt32(250) << min(warmFailures, 7))
        warmTimer = .after(milliseconds: delay) { [weak self] in
            guard let self else { return }
            warmTimer = nil
            makeWarm(engine)
        }
    }

    private func makeWarm(_ engine: Engine) {
        guard slots.missingWarm > 0 else { return }
        do {
            let entry = try slots.add { number in
                guard let slot = Slot(number: number, engine: engine) else {
                    throw ScriptError("WebKit gave no web view")
                }
                return slot
            }
            let slot = entry.payload
            slot.handle = { [weak self, weak slot] event in
                guard let self, let slot else { return }
                handle(event, of: slot)
            }
            park(slot)
            slot.evaluate(PageScript.warmUp, world: PageScript.world) { [weak self, weak slot] _ in
                if let slot { self?.becameWarm(slot) }
            }
        } catch {
            log(3, "a warm slot cannot be made: \(error)")
            warmFailures += 1
            fillWarm()
        }
    }

    /// Where a warm slot can wait in sight, it is laid out and has painted before it is needed.
    private func park(_ slot: Slot) {
        if parking == nil {
            parking = ParkingWindow(width: defaultSize.width, height: defaultSize.height)
        }
        parking?.add(slot)
    }

    private func becameWarm(_ slot: Slot) {
        guard slots.markWarm(slot.number) else { return }
        warmFailures = 0
        processes.refresh(for: slot.number)
        network.refresh()
        slot.contentPID = processes[slot.number]
        send(.slotReady(.init(slot: slot.number, contentPID: slot.contentPID)))
        reportProcesses()
        if !changedSlots.isEmpty { processesChanged() }
        fillWarm()
    }

    // MARK: - What slots tell

    private func handle(_ event: SlotEvent, of slot: Slot) {
        switch event {
        case .contentLost(let reason): return lost(slot, reason)
        default: break
        }
        guard slots.bind(of: slot.number) != nil else { return }
        if case .navigation(let phase, let error) = event, jobs[slot.number] != nil || !slot.url.isEmpty {
            send(
                .navigation(
                    HostMessage.Navigation(
                        slot: slot.number, phase: phase, url: slot.url, title: slot.title, status: slot.status,
                        error: error)))
            if phase == .committed { processesChanged(for: slot.number) }
            if phase == .finished { cookies?.observe {} }
        }
        keepers[slot.number]?.note(event)
        jobs[slot.number]?.note(event)
    }

    private func lost(_ slot: Slot, _ reason: HostMessage.LossReason) {
        let now = MonotonicClock.microseconds()
        let state = slots[slot.number]?.state
        _ = slots.remove(slot.number)
        send(
            .slotLost(
                .init(slot: slot.number, reason: reason, contentPID: processes[slot.number], detectedAt: now)))
        processes.forget(slot.number)
        let job = jobs.removeValue(forKey: slot.number)
        job?.note(.contentLost(reason))
        let keeper = keepers.removeValue(forKey: slot.number)
        if case .bound(_, let view) = state, let window = windows[view] {
            if window.shown === slot {
                let frame = slot.currentImage()
                keeper?.sendState()
                window.hold(frame)
            } else if window.incoming === slot {
                window.dropIncoming()
            }
        } else {
            slot.destroy()
            warmFailures += 1
        }
        keeper?.stop()
        processesChanged()
        fillWarm()
    }

    private func networkLost(_ pid: Int32, _ at: UInt64) {
        send(.networkLost(.init(pid: pid, detectedAt: at)))
        cookies?.restore { [weak self] in
            self?.processesChanged()
            self?.cookies?.observe {}
        }
    }

    // MARK: - Processes and heartbeat

    /// Looks at the process tree soon, not now: it costs milliseconds that a recovery needs.
    func processesChanged(for slot: Int? = nil) {
        if let slot { changedSlots.insert(slot) }
        guard processTimer?.isActive != true else { return }
        processTimer = .after(milliseconds: 300) { [weak self] in
            guard let self else { return }
            // The youngest process may be that of a slot in the making.
            if slots.all.contains(where: { $0.state == .preparing }) { return }
            for slot in changedSlots.sorted() where slots[slot] != nil { processes.refresh(for: slot) }
            changedSlots = []
            network.refresh()
            processes.refresh()
            reportProcesses()
        }
    }
    private var changedSlots: Set<Int> = []

    private func reportProcesses() {
        let content = slots.all.compactMap { entry in
            processes[entry.number].map { HostMessage.Processes.Content(slot: entry.number, pid: $0) }
        }
        let report = HostMessage.Processes(
            networkPID: network.livePID, content: content, helperPIDs: processes.helpers)
        guard report != lastProcesses else { return }
        lastProcesses = report
        send(.processes(report))
    }

    private func beat() {
        for entry in slots.all {
            let slot = entry.payload
            guard case .bound = entry.state, !slot.isBeatPending else { continue }
            slot.isBeatPending = true
            slot.evaluate(PageScript.beat, world: PageScript.world) { [weak slot] result in
                slot?.isBeatPending = false
                if case .success = result { slot?.lastBeat = MonotonicClock.microseconds() }
            }
        }
    }

    private func pong(_ sequence: UInt64) {
        let now = MonotonicClock.microseconds()
        let pulses = slots.all.compactMap { entry -> HostMessage.Pong.SlotPulse? in
            guard case .bound = entry.state else { return nil }
            return .init(slot: entry.number, silence: now - min(now, entry.payload.lastBeat))
        }
        send(.pong(.init(sequence: sequence, slots: pulses)))
    }
}
#endif
