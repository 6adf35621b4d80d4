// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import CWebKitGTK
import GTKSupport
import HostKit
import Platform
import Wire

/// What relightd asks of views and slots.
extension Application {
    func bind(_ request: SupervisorMessage.Bind) {
        func refuse(_ reason: String) {
            send(
                .progress(
                    .init(
                        slot: request.slot, bind: request.bind, step: .failed, at: MonotonicClock.microseconds(),
                        detail: reason)))
        }
        guard let cookies else { return refuse("there was no welcome yet") }
        guard let window = windows[request.view] ?? makeWindow(request) else { return refuse("GTK gave no window") }
        let slot: Slot
        do {
            slot = try slots.bind(request).payload
        } catch {
            return refuse("\(error)")
        }
        if let rival = window.incoming { discard(rival.number) }
        windows[request.view] = window
        let keeper = PageKeeper(slot: slot, window: window, state: request.state) { [weak self] in
            self?.send($0, $1)
        }
        keepers[slot.number] = keeper
        let job = BindJob(request: request, slot: slot, window: window, cookies: cookies) { [weak self] in
            self?.send(.progress($0))
            if $0.step == .verified { keeper.start() }
        }
        jobs[slot.number] = job
        job.painted = { [weak self] old in
            if let old { self?.discard(old.number) }
            self?.fillWarm()
        }
        job.finished = { [weak self] in
            self?.jobs[request.slot] = nil
            self?.fillWarm()
        }
        job.start()
    }

    private func makeWindow(_ request: SupervisorMessage.Bind) -> ViewWindow? {
        ViewWindow(
            view: request.view,
            placement: .init(
                isFullscreen: request.fullscreen, output: request.output, width: defaultSize.width,
                height: defaultSize.height))
    }

    /// Throws a slot away that nothing shows any more.
    private func discard(_ number: Int) {
        guard let entry = slots.remove(number) else { return }
        jobs.removeValue(forKey: number)?.fail("the slot was given up")
        keepers.removeValue(forKey: number)?.stop()
        for window in windows.values where window.incoming === entry.payload { window.dropIncoming() }
        entry.payload.destroy()
        processesChanged()
        fillWarm()
    }

    /// The slot of a view that is being bound is only given up, since another one follows; with the slot that is shown,
    /// or that was lost last, the view itself goes.
    func release(_ number: Int) {
        let window = windows.values.first {
            $0.shown?.number == number || ($0.incoming == nil && $0.lastSlot == number)
        }
        if let window, window.incoming == nil, slots[number] == nil || window.shown?.number == number {
            windows[window.view] = nil
            discard(number)
            window.close()
        } else {
            // Another slot follows: what the screen shows stays until that one has painted.
            if let window, let shown = window.shown, shown.number == number { window.hold(shown.currentImage()) }
            discard(number)
        }
    }

    func navigate(_ request: SupervisorMessage.Navigate) {
        guard let slot = slots[request.slot]?.payload else {
            return log(5, "there is no slot \(request.slot) to navigate, ignoring it")
        }
        switch request.action {
        case .load: if let url = request.url { slot.load(url) }
        case .reload: webkit_web_view_reload(slot.webView)
        case .reloadBypassingCache: webkit_web_view_reload_bypass_cache(slot.webView)
        case .stop: webkit_web_view_stop_loading(slot.webView)
        case .back: webkit_web_view_go_back(slot.webView)
        case .forward: webkit_web_view_go_forward(slot.webView)
        }
    }

    func evaluate(_ request: SupervisorMessage.Evaluate) {
        let reply = pending(request.id, seconds: 10, late: "the page did not answer within 10 seconds")
        guard let slot = slots[request.slot]?.payload else { return reply.fail("there is no slot \(request.slot)") }
        slot.evaluate(request.script, world: nil) { result in
            switch result {
            case .failure(let error): reply.fail(error.description)
            case .success(nil): reply.succeed(.null)
            case .success(let json?):
                guard let value = try? JSON.decode(JSONValue.self, from: Array(json.utf8)) else {
                    return reply.fail("the result cannot be read as JSON")
                }
                reply.succeed(value)
            }
        }
    }

    func screenshot(_ request: SupervisorMessage.Request) {
        let reply = pending(request.id, seconds: 10, late: "the page gave no picture within 10 seconds")
        guard let slot = slots[request.slot]?.payload else { return reply.fail("there is no slot \(request.slot)") }
        slot.snapshot { result in
            do {
                reply.succeed(nil, descriptor: try Pictures.png(of: try result.get()))
            } catch {
                reply.fail("\(error)")
            }
        }
    }

    func capture(_ request: SupervisorMessage.Request) {
        let reply = pending(request.id, seconds: 5, late: "the page did not answer within 5 seconds")
        guard let slot = slots[request.slot]?.payload, let keeper = keepers[request.slot], let cookies else {
            return reply.fail("slot \(request.slot) shows no view")
        }
        slot.ask(PageScript.flush, as: PageMessage?.self) { message in
            if let message = message ?? nil { keeper.note(message) }
            keeper.sendState()
            cookies.observe { reply.succeed(nil) }
        }
    }
}
#endif
