// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import HostKit
import Wire

/// Bringing pages into slots.
extension BuiltinRenderer: PageLoadOwner {
    func bind(_ request: SupervisorMessage.Bind) {
        do {
            let page = try slots.bind(request).payload
            page.bind = request.bind
            if let cookies = request.cookies {
                put(CookieChanges(set: cookies))
                progress(request.slot, .cookiesIn)
            }
            if let state = request.state {
                page.history = PageHistory(restoring: state)
                progress(request.slot, .stateIn)
            }
            if page.history.current?.url != request.url { page.history.go(to: request.url) }
            progress(request.slot, .loadStarted)
            load(request.url, slot: request.slot)
        } catch {
            let now = MonotonicClock.microseconds()
            channel.send(
                .progress(
                    .init(slot: request.slot, bind: request.bind, step: .failed, at: now, detail: "\(error)")))
        }
    }

    /// Only while a bind waits for the page.
    private func progress(_ slot: Int, _ step: HostMessage.Step, detail: String? = nil) {
        guard let bind = slots[slot]?.payload.bind else { return }
        let now = MonotonicClock.microseconds()
        channel.send(.progress(.init(slot: slot, bind: bind, step: step, at: now, detail: detail)))
    }

    func navigate(_ request: SupervisorMessage.Navigate) {
        guard let page = slots[request.slot]?.payload, slots.bind(of: request.slot) != nil else { return }
        switch request.action {
        case .load:
            guard let url = request.url else { return }
            var history = page.history
            history.go(to: url)
            page.nextHistory = history
            load(url, slot: request.slot)
        case .reload, .reloadBypassingCache:
            page.nextHistory = nil
            load(
                page.history.current?.url ?? page.url, slot: request.slot,
                bypassesCaches: request.action == .reloadBypassingCache)
        case .back, .forward:
            var history = page.history
            guard history.move(by: request.action == .back ? -1 : 1), let entry = history.current else { return }
            page.nextHistory = history
            load(entry.url, slot: request.slot)
        case .stop:
            guard let load = page.load else { return }
            load.cancel()
            loadEnded(load, failure: "it was stopped")
        }
    }

    private func load(_ url: String, slot: Int, bypassesCaches: Bool = false) {
        guard let page = slots[slot]?.payload else { return }
        page.load?.cancel()
        page.load = nil
        navigation(slot, .started, url)
        if url == "about:blank" { return showBlank(slot, page) }
        guard let address = WebAddress(url) else {
            return fail(slot, page, url, "the builtin renderer shows http and https only")
        }
        let load = PageLoad(slot: slot, address: address, bypassesCaches: bypassesCaches, owner: self)
        page.load = load
        load.start()
    }

    private func showBlank(_ slot: Int, _ page: BuiltinPage) {
        (page.url, page.title, page.text) = ("about:blank", "", "")
        navigation(slot, .committed, page.url)
        shown(slot, page, status: nil)
    }

    func loadRedirected(_ load: PageLoad, status: Int) {
        navigation(load.slot, .redirected, load.address.text, status: status)
    }

    func loadCommitted(_ load: PageLoad, status: Int) {
        navigation(load.slot, .committed, load.address.text, status: status)
    }

    func loadEnded(_ load: PageLoad, failure: String?) {
        guard let page = slots[load.slot]?.payload, page.load === load else { return }
        page.load = nil
        if let failure { return fail(load.slot, page, load.address.text, failure) }
        page.url = load.address.text
        page.title = load.text.title
        page.text = load.text.text
        shown(load.slot, page, status: load.status)
    }

    private func shown(_ slot: Int, _ page: BuiltinPage, status: Int?) {
        if let next = page.nextHistory { page.history = next }
        page.nextHistory = nil
        page.history.amend(url: page.url, title: page.title)
        progress(slot, .loadFinished)
        navigation(slot, .finished, page.url, title: page.title, status: status)
        progress(slot, .firstPaint)
        progress(slot, .verified)
        page.bind = nil
        reportState(slot)
    }

    private func fail(_ slot: Int, _ page: BuiltinPage, _ url: String, _ reason: String) {
        page.nextHistory = nil
        navigation(slot, .failed, url, error: reason)
        progress(slot, .failed, detail: reason)
        page.bind = nil
    }

    private func navigation(
        _ slot: Int, _ phase: HostMessage.Navigation.Phase, _ url: String, title: String = "", status: Int? = nil,
        error: String? = nil
    ) {
        channel.send(
            .navigation(.init(slot: slot, phase: phase, url: url, title: title, status: status, error: error)))
    }

    // MARK: - Questions about a page

    /// There is no script engine; what relightd and people ask most is answered all the same.
    func evaluate(_ request: SupervisorMessage.Evaluate) -> HostMessage.Reply {
        guard let page = slots[request.slot]?.payload, slots.bind(of: request.slot) != nil else {
            return .init(id: request.id, error: "slot \(request.slot) shows no view")
        }
        let script = request.script.filter { !$0.isWhitespace && $0 != ";" }
        let value: String? =
            switch script {
            case "document.title": page.title
            case "document.location.href", "location.href", "window.location.href": page.url
            case "document.body.innerText": page.text
            case "document.cookie": scriptCookies(of: page.url)
            default: nil
            }
        guard let value else {
            let known = "document.title, document.location.href, document.body.innerText and document.cookie"
            return .init(id: request.id, error: "the builtin renderer runs no scripts; it answers \(known)")
        }
        return .init(id: request.id, value: .string(value))
    }
}
