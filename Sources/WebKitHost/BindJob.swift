// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import Cookies
import GTKSupport
import HostKit
import Wire

/// The work of bringing a view into a warm slot, from its cookies to the verified page.
final class BindJob {
    let request: SupervisorMessage.Bind
    let slot: Slot
    private let window: ViewWindow
    private let cookies: CookieBridge
    private let report: (HostMessage.Progress) -> Void
    private var isCommitted = false
    private(set) var hasPainted = false
    /// True when it is verified or has failed: there is no more to report.
    private(set) var isOver = false
    /// Called when the page is on the screen with the slot that it replaced, and when the job is over.
    var painted: ((Slot?) -> Void)?
    var finished: (() -> Void)?
    private var attempts = 0
    private var timer: LoopSource?

    init(
        request: SupervisorMessage.Bind, slot: Slot, window: ViewWindow, cookies: CookieBridge,
        report: @escaping (HostMessage.Progress) -> Void
    ) {
        self.request = request
        self.slot = slot
        self.window = window
        self.cookies = cookies
        self.report = report
    }

    func start() {
        // Mapped first: while cookies travel, the view gets its size.
        window.insert(slot)
        cookies.put(CookieChanges(set: request.cookies ?? [])) { [weak self] in
            guard let self, !isOver else { return }
            step(.cookiesIn)
            load()
        }
    }

    private func load() {
        slot.install(restoring: request.state)
        let item = request.state?.sessionState.flatMap { slot.restoreHistory($0, wanted: request.url) }
        step(.stateIn)
        slot.lastBeat = MonotonicClock.microseconds()
        step(.loadStarted)
        slot.load(request.url, historyItem: item)
    }

    /// What the slot tells while it is being bound.
    func note(_ event: SlotEvent) {
        guard !isOver else { return }
        switch event {
        case .navigation(.committed, _): isCommitted = true
        case .navigation(.finished, _): if isCommitted { step(.loadFinished) }
        case .navigation(.failed, let error): fail(error ?? "the page could not be loaded")
        case .message(let message): if message.type == .painted, isCommitted { show() }
        case .contentLost: isOver = true
        case .navigation, .drew: break
        }
    }

    private func show() {
        guard !hasPainted else { return }
        hasPainted = true
        let old = window.promote { [weak self] in
            guard let self, !isOver else { return }
            step(.firstPaint)
            verify()
        }
        painted?(old)
    }

    private func verify() {
        slot.ask(PageScript.verify, as: PageVerdict.self) { [weak self] verdict in
            guard let self, !isOver else { return }
            attempts += 1
            let shortcomings =
                verdict.map { $0.shortcomings(wanted: self.request.url) } ?? "the page does not answer"
            // A page that builds itself gets some time to have everything in place.
            if shortcomings != nil, attempts < 10 {
                timer = .after(milliseconds: 100) { [weak self] in self?.verify() }
                return
            }
            guard verdict != nil else { return fail("the page does not answer") }
            isOver = true
            // What was restored once is not for the pages that come after.
            slot.install(restoring: nil)
            report(progress(.verified, shortcomings))
            finished?()
        }
    }

    func fail(_ reason: String) {
        guard !isOver else { return }
        isOver = true
        report(progress(.failed, reason))
        finished?()
    }

    private func step(_ step: HostMessage.Step) { report(progress(step, nil)) }

    private func progress(_ step: HostMessage.Step, _ detail: String?) -> HostMessage.Progress {
        HostMessage.Progress(
            slot: slot.number, bind: request.bind, step: step, at: MonotonicClock.microseconds(), detail: detail)
    }
}
#endif
