// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import CWebKitGTK
import Cookies
import GTKSupport
import HostKit
import Wire

/// The engine's cookie store: puts cookies in, reports changes, and puts everything back after the network process died.
///
/// One operation runs at a time, so that a list is never older than a change that was made after it was asked for.
final class CookieBridge {
    private enum Operation {
        case put(CookieChanges, done: () -> Void)
        case list(done: ([Cookie]) -> Void)
    }

    private let manager: OpaquePointer
    private let network: NetworkWatch
    private let report: (HostMessage.CookieReport) -> Void
    private(set) var reporter = CookieReporter()
    private var operations: [Operation] = []
    private var isBusy = false
    private var timers: [LoopSource] = []
    /// Counts the deaths of network processes: a list that began before one is worth nothing.
    private var generation = 0
    private var isRestoring = false
    private static let restoreAttempts = 50
    /// Runs once a network process has died: WebKit does not tell of changes in the next one.
    private var poll: LoopSource?
    private static let pollInterval: UInt32 = 200

    /// - Parameters:
    ///   - manager: a WebKitCookieManager; the session that owns it lives as long as the process.
    ///   - network: tells when the engine's answers are worth nothing.
    ///   - report: called for each change that the engine made.
    init(manager: OpaquePointer, network: NetworkWatch, report: @escaping (HostMessage.CookieReport) -> Void) {
        self.manager = manager
        self.network = network
        self.report = report
        Signal.connect(UnsafeMutableRawPointer(manager), "changed") { [weak self] _ in self?.observe {} }
    }

    /// Puts cookies in that relightd sent; `done` is called when the engine has them.
    func put(_ changes: CookieChanges, done: @escaping () -> Void) {
        var changes = changes
        changes.set = changes.set.filter { $0.partitionKey == nil }.map(CookieConversion.normalised)
        reporter.noteFromSupervisor(changes)
        guard !changes.isEmpty else { return done() }
        enqueue(.put(changes, done: done))
    }

    /// Puts in what a new host starts with, and finds out which of it the engine refuses.
    func putFirst(_ cookies: [Cookie], done: @escaping () -> Void) {
        put(CookieChanges(set: cookies)) { [weak self] in
            guard let self, !cookies.isEmpty else { return done() }
            enqueue(
                .list { [weak self] list in
                    self?.forgetRefused(list)
                    done()
                })
        }
    }

    private func forgetRefused(_ list: [Cookie]) {
        let there = Set(list.map(\.identity))
        reporter.noteRefused(reporter.known.filter { !there.contains($0.identity) })
    }

    func acknowledge(_ sequence: UInt64) { reporter.acknowledge(sequence) }

    /// Compares the engine's cookies with what is known, reports the difference, then calls `done`.
    func observe(done: @escaping () -> Void) {
        if isRestoring { return done() }
        enqueue(.list { [weak self] in self?.compare($0, isConfirmation: false, done: done) })
    }

    /// A list without a cookie that was there is asked for twice: the first may be a dying network process's.
    private func compare(_ list: [Cookie], isConfirmation: Bool, done: @escaping () -> Void) {
        if isRestoring { return done() }
        let mayDelete = isConfirmation && network.livePID.map { network.isSoundAndAlone($0) } ?? false
        if let changes = reporter.observe(list, deletionsCount: mayDelete) { report(changes) }
        let there = Set(list.map(\.identity))
        guard !isConfirmation, reporter.known.contains(where: { !there.contains($0.identity) }) else {
            return done()
        }
        after(milliseconds: 50) { [weak self] in
            self?.enqueue(
                .list { [weak self] list in
                    self?.compare(list, isConfirmation: true, done: done)
                })
        }
    }

    /// The network process is dead and with it every cookie: puts back what is known, before anything else is done.
    func restore(done: @escaping () -> Void) {
        generation += 1
        isRestoring = true
        restore(attempt: 1, generation: generation, done: done)
    }

    /// WebKit may send the first attempt to the dead process, which loses it without an error: so it looks, and tries again.
    private func restore(attempt: Int, generation: Int, done: @escaping () -> Void) {
        guard generation == self.generation else { return }
        let look = Operation.list { [weak self] list in
            guard let self, generation == self.generation else { return }
            let there = Set(list.map(\.identity))
            let isComplete = reporter.known.allSatisfy { there.contains($0.identity) }
            if isComplete || attempt >= Self.restoreAttempts {
                isRestoring = false
                network.refresh()
                startPolling()
                return done()
            }
            after(milliseconds: 10) { [weak self] in
                self?.restore(attempt: attempt + 1, generation: generation, done: done)
            }
        }
        operations.insert(contentsOf: [.put(CookieChanges(set: reporter.known), done: {}), look], at: 0)
        next()
    }

    /// `changed` comes from the network process in which WebKit first asked for it, and never from one that follows.
    private func startPolling() {
        guard poll == nil else { return }
        poll = .timer(milliseconds: Self.pollInterval) { [weak self] in
            guard let self else { return false }
            if !isBusy, operations.isEmpty { observe {} }
            return true
        }
    }

    // MARK: - One operation at a time

    private func enqueue(_ operation: Operation) {
        operations.append(operation)
        next()
    }

    private func next() {
        guard !isBusy, !operations.isEmpty else { return }
        isBusy = true
        switch operations.removeFirst() {
        case .put(let changes, let done): run(changes) { [weak self] in self?.finish(done) }
        case .list(let done): list { [weak self] cookies in self?.finish { done(cookies) } }
        }
    }

    private func finish(_ done: () -> Void) {
        isBusy = false
        if network.livePID == nil { network.refresh() }
        done()
        next()
    }

    private func run(_ changes: CookieChanges, done: @escaping () -> Void) {
        let countdown = Countdown(changes.set.count + changes.deleted.count, done)
        for cookie in changes.set {
            call(cookie, countdown) { webkit_cookie_manager_add_cookie($0, $1, nil, $2, $3) }
        }
        for identity in changes.deleted {
            let cookie = Cookie(
                name: identity.name, value: "", domain: identity.domain, isHostOnly: identity.isHostOnly,
                path: identity.path)
            call(cookie, countdown) { webkit_cookie_manager_delete_cookie($0, $1, nil, $2, $3) }
        }
    }

    private typealias Call = (OpaquePointer, OpaquePointer, GAsyncReadyCallback, UnsafeMutableRawPointer) -> Void

    private func call(_ cookie: Cookie, _ countdown: Countdown, _ call: Call) {
        guard let soup = CookieConversion.soup(cookie) else { return countdown.count() }
        let callback = AsyncCallback.make { _, _ in countdown.count() }
        call(manager, soup, callback.function, callback.data)
        soup_cookie_free(soup)
    }

    private func list(_ done: @escaping ([Cookie]) -> Void) {
        let manager = self.manager
        let callback = AsyncCallback.make { _, result in
            let (first, _) = withError { webkit_cookie_manager_get_all_cookies_finish(manager, result, $0) }
            var cookies: [Cookie] = []
            var item = first
            while let node = item {
                if let data = node.pointee.data { cookies.append(CookieConversion.cookie(OpaquePointer(data))) }
                item = node.pointee.next
            }
            relight_free_cookies(first)
            done(cookies)
        }
        webkit_cookie_manager_get_all_cookies(manager, nil, callback.function, callback.data)
    }

    private func after(milliseconds: UInt32, _ body: @escaping () -> Void) {
        let timer = LoopSource.after(milliseconds: milliseconds, body)
        timers = timers.filter(\.isActive) + [timer]
    }
}

/// Calls its body when it was counted down.
private final class Countdown {
    private var left: Int
    private let body: () -> Void

    init(_ count: Int, _ body: @escaping () -> Void) {
        left = count
        self.body = body
        if count == 0 { body() }
    }

    func count() {
        left -= 1
        if left == 0 { body() }
    }
}
#endif
