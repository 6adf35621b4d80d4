// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import HostKit
import Platform
import Wire
import Glibc

/// A host without an engine: it speaks the renderer protocol as an ordinary host does, shows nothing, and misbehaves as
/// its script and the scripts that it is asked to evaluate say.
final class FakeHost {
    let channel: HostChannel
    let script: FakeScript
    var slots = SlotTable<FakePage>()
    var cookies = CookieReporter()
    var network: FakeProcess?
    var helpers: [Int32] = []
    /// The highest number of a cookie report that is on disk.
    var stored: UInt64 = 0
    var binds = 0
    private var timers: [(at: UInt64, action: () -> Void)] = []
    private var isStopping = false

    init(channel: HostChannel, script: FakeScript) {
        self.channel = channel
        self.script = script
    }

    /// Runs until relightd says stop, or is gone.
    func run() {
        start()
        while !isStopping && !(channel.isOver && !script.has(.ignoreStop)) {
            wait()
            for incoming in (try? channel.process()) ?? [] { receive(incoming.message) }
            checkProcesses()
            let now = MonotonicClock.microseconds()
            let due = timers.filter { $0.at <= now }
            timers.removeAll { $0.at <= now }
            for timer in due { timer.action() }
        }
        for slot in slots.all { slot.payload.content?.end() }
        network?.end()
    }

    func after(_ microseconds: UInt64, _ action: @escaping () -> Void) {
        timers.append((MonotonicClock.microseconds() + microseconds, action))
    }

    private func wait() {
        var watched: [pollfd] = []
        // An end of file is readable for ever.
        if !channel.isOver {
            let events = channel.wantsToWrite ? POLLIN | POLLOUT : POLLIN
            watched.append(pollfd(fd: channel.fd, events: Int16(events), revents: 0))
        }
        let processes = slots.all.compactMap(\.payload.content) + [network].compactMap(\.self)
        for process in processes {
            watched.append(pollfd(fd: process.process.pidfd.raw, events: Int16(POLLIN), revents: 0))
        }
        var timeout: Int32 = -1
        if let next = timers.map(\.at).min() {
            let now = MonotonicClock.microseconds()
            timeout = next > now ? Int32(clamping: (next - now + 999) / 1_000) : 0
        }
        poll(&watched, nfds_t(watched.count), timeout)
    }

    /// Engines notice the death of their processes.
    private func checkProcesses() {
        for slot in slots.all where slot.payload.content?.hasEnded() == true {
            lose(slot.number, .crashed)
        }
        if let network, network.hasEnded() { networkEnded(network.pid) }
    }

    // MARK: - Slots

    func warmUp() {
        guard !script.has(.noSlots) else { return }
        while slots.missingWarm > 0 {
            do {
                let content = script.has(.inProcess) ? nil : try FakeProcess()
                let entry = slots.add { _ in FakePage(content: content) }
                let delay = script.time(.slowSlots)
                if delay == 0 {
                    markWarm(entry.number)
                } else {
                    after(delay) { [unowned self] in markWarm(entry.number) }
                }
            } catch {
                channel.log(3, "no slot: \(error)")
                return
            }
        }
        reportProcesses()
    }

    private func markWarm(_ slot: Int) {
        guard slots.markWarm(slot) else { return }
        channel.send(.slotReady(.init(slot: slot, contentPID: slots[slot]?.payload.content?.pid)))
    }

    func lose(_ slot: Int, _ reason: HostMessage.LossReason) {
        guard let entry = slots.remove(slot) else { return }
        let now = MonotonicClock.microseconds()
        let pid = entry.payload.content?.pid
        entry.payload.content?.end()
        channel.send(.slotLost(.init(slot: slot, reason: reason, contentPID: pid, detectedAt: now)))
        warmUp()
    }

    func reportProcesses() {
        let content = slots.all.compactMap { slot in
            slot.payload.content.map { HostMessage.Processes.Content(slot: slot.number, pid: $0.pid) }
        }
        channel.send(.processes(.init(networkPID: network?.pid, content: content, helperPIDs: helpers)))
    }

    // MARK: - Cookies

    func change(_ changes: CookieChanges) {
        if let report = cookies.report(changes) { channel.send(.cookies(report)) }
    }

    /// The engine's network process is gone, and all cookies with it.
    func networkEnded(_ pid: Int32) {
        network = script.has(.inProcess) ? nil : try? FakeProcess()
        cookies.noteFromSupervisor(CookieChanges(deleted: cookies.known.map(\.identity)))
        channel.send(.networkLost(.init(pid: pid, detectedAt: MonotonicClock.microseconds())))
        reportProcesses()
    }

    // MARK: - Messages

    private func receive(_ message: SupervisorMessage) {
        switch message {
        case .welcome(let welcome): settle(welcome)
        case .setCookies(let request):
            cookies.noteFromSupervisor(request.changes)
            reply(.init(id: request.id))
        case .cookiesStored(let sequence):
            cookies.acknowledge(sequence)
            stored = sequence
        case .warm(let count):
            slots.wantedWarm = count
            warmUp()
        case .bind(let request): bind(request)
        case .release(let slot):
            slots.remove(slot)?.payload.content?.end()
            warmUp()
        case .navigate(let request): navigate(request)
        case .evaluate(let request): evaluate(request)
        case .screenshot(let request): screenshot(request)
        case .capture(let request):
            reportState(request.slot)
            reply(.init(id: request.id))
        case .ping(let sequence):
            if !script.has(.noPong) { pong(sequence) }
        case .curtain: channel.log(7, "the fake host shows no curtain")
        case .stop:
            if !script.has(.ignoreStop) { isStopping = true }
        }
    }

    private func settle(_ welcome: SupervisorMessage.Welcome) {
        cookies.noteFromSupervisor(CookieChanges(set: welcome.cookies))
        if !script.has(.inProcess) { network = try? FakeProcess() }
        for (word, escapes) in [(FakeScript.Word.forkGrandchild, false), (.forkEscapee, true)] where script.has(word) {
            if let pid = try? Leftover.start(escapes: escapes) { helpers.append(pid) }
        }
        slots.wantedWarm = welcome.warmSlots
        warmUp()
        reportProcesses()
        if script.has(.cookieEvery) { setCookieAgain(1) }
    }

    private func setCookieAgain(_ count: Int) {
        after(script.time(.cookieEvery)) { [unowned self] in
            change(CookieChanges(set: [Cookie(name: "tick", value: "\(count)", domain: "fake.test")]))
            setCookieAgain(count + 1)
        }
    }

    private func pong(_ sequence: UInt64) {
        let now = MonotonicClock.microseconds()
        let pulses = slots.all.filter { slots.bind(of: $0.number) != nil }.map { slot in
            HostMessage.Pong.SlotPulse(slot: slot.number, silence: slot.payload.silentSince.map { now - $0 } ?? 0)
        }
        channel.send(.pong(.init(sequence: sequence, slots: pulses)))
    }

    func reply(_ reply: HostMessage.Reply, descriptors: [FileDescriptor] = []) {
        if !script.has(.noReply) { channel.send(.reply(reply), descriptors: descriptors) }
    }
}
