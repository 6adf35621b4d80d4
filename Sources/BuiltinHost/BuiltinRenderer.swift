// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
package import HostKit
import Platform
import Wire
import Glibc

/// The host without a browser engine: it fetches pages, follows redirects, keeps cookies, and reads title and text.
///
/// One thread, one loop, in which waiting for relightd and for the network is one call. Between pages it holds nothing
/// but the pages' text, and nothing wakes it.
package final class BuiltinRenderer {
    package struct Limits: Sendable {
        /// Milliseconds until a connection stands.
        package var connectTime = 10_000
        /// Milliseconds for a page with all its redirects.
        package var loadTime = 60_000
        /// Bytes of one response, after decompression.
        package var responseSize = 16 << 20
        package var redirects = 20

        package init() {}
    }

    static let userAgent = "Mozilla/5.0 (compatible; relight-builtin/\(Release.version))"

    let channel: HostChannel
    let limits: Limits
    let fetcher = Fetcher()
    var slots = SlotTable<BuiltinPage>()
    private var jar = CookieJar()
    private var reporter = CookieReporter()
    private var isStopping = false

    package init(channel: HostChannel, limits: Limits = Limits()) {
        self.channel = channel
        self.limits = limits
    }

    /// Runs until relightd says stop, or is gone.
    ///
    /// - Throws: what broke the connection to it.
    package func run() throws {
        channel.sayHello(renderer: "builtin", version: Release.version)
        while !isStopping && !channel.isOver {
            fetcher.wait(fd: channel.fd, forWriting: channel.wantsToWrite)
            for incoming in try channel.process() { receive(incoming.message) }
            fetcher.perform()
        }
        for entry in slots.all { entry.payload.load?.cancel() }
        // What was said last should get there.
        _ = try? channel.process()
    }

    private func receive(_ message: SupervisorMessage) {
        switch message {
        case .welcome(let welcome):
            put(CookieChanges(set: welcome.cookies))
            slots.wantedWarm = welcome.warmSlots
            channel.send(.processes(.init()))
            warmUp()
        case .setCookies(let request):
            put(request.changes)
            channel.send(.reply(.init(id: request.id)))
        case .cookiesStored(let sequence): reporter.acknowledge(sequence)
        case .warm(let count):
            slots.wantedWarm = count
            warmUp()
        case .bind(let request):
            bind(request)
            warmUp()
        case .release(let slot):
            slots.remove(slot)?.payload.load?.cancel()
            warmUp()
        case .navigate(let request): navigate(request)
        case .evaluate(let request): channel.send(.reply(evaluate(request)))
        case .screenshot(let request):
            let text = "the builtin renderer draws nothing; ask for document.body.innerText instead of a screenshot"
            channel.send(.reply(.init(id: request.id, error: text)))
        case .capture(let request):
            reportState(request.slot)
            channel.send(.reply(.init(id: request.id)))
        case .ping(let sequence):
            // One thread serves all pages: if this is answered, they are alive.
            let bound = slots.all.filter { slots.bind(of: $0.number) != nil }
            let pulses = bound.map { HostMessage.Pong.SlotPulse(slot: $0.number, silence: 0) }
            channel.send(.pong(.init(sequence: sequence, slots: pulses)))
        case .curtain: channel.log(4, "the builtin renderer has no windows, and so no curtain; ignoring it")
        case .stop: isStopping = true
        }
    }

    /// A warm slot costs nothing here.
    private func warmUp() {
        while slots.missingWarm > 0 {
            let slot = slots.add { _ in BuiltinPage() }.number
            if slots.markWarm(slot) { channel.send(.slotReady(.init(slot: slot))) }
        }
    }

    func reportState(_ slot: Int) {
        guard let page = slots[slot]?.payload, slots.bind(of: slot) != nil else { return }
        channel.send(.pageState(.init(slot: slot, state: page.state)))
    }

    // MARK: - Cookies

    private var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Cookies from relightd.
    func put(_ changes: CookieChanges) {
        jar.apply(changes, now: now)
        reporter.noteFromSupervisor(changes)
    }

    func cookieHeader(for address: WebAddress) -> [UInt8] {
        guard let url = RequestURL(address.text) else { return [] }
        let cookies = jar.cookies(for: url, context: CookieContext(isTopLevelNavigation: true), now: now)
        let pairs = cookies.map { cookie in
            cookie.name.isEmpty ? cookie.valueBytes : cookie.nameBytes + [UInt8(ascii: "=")] + cookie.valueBytes
        }
        // A snapshot of another engine may hold bytes that would end the field.
        return Array(pairs.filter { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }.joined(separator: Array("; ".utf8)))
    }

    func store(_ setCookies: [[UInt8]], from address: WebAddress) {
        guard !setCookies.isEmpty, let url = RequestURL(address.text) else { return }
        for field in setCookies {
            let context = CookieContext(isTopLevelNavigation: true)
            if case .refused(let reason) = jar.store(field, from: url, context: context, now: now) {
                channel.log(6, "a cookie from \(url.host) is refused: \(reason)")
            }
        }
        if let report = reporter.observe(jar.all(now: now)) { channel.send(.cookies(report)) }
    }

    /// What a script of the page would see.
    func scriptCookies(of url: String) -> String {
        guard let url = RequestURL(url) else { return "" }
        return jar.header(for: url, context: CookieContext(isScript: true), now: now)
    }
}
