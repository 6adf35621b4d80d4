// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import HostKit
import Platform
import Wire
import Glibc

/// Showing pages, or failing to.
extension FakeHost {
    func bind(_ request: SupervisorMessage.Bind) {
        do {
            _ = try slots.bind(request)
        } catch {
            return progress(request, .failed, "\(error)")
        }
        binds += 1
        if script.holds(.dieOnBind, at: binds) { kill(getpid(), SIGKILL) }
        let crashes =
            script.holds(.crashOnBind, at: binds) || script.has(.crashOnState) && request.state != nil
            || script.text(.crashOnURL).map { request.url.contains($0) } == true
        if crashes { return lose(request.slot, .crashed) }
        if script.holds(.failBind, at: binds) { return progress(request, .failed, "as the script says") }
        take(request, stepsOf(request)[...])
    }

    private func stepsOf(_ request: SupervisorMessage.Bind) -> [HostMessage.Step] {
        HostMessage.Step.allCases.filter { step in
            switch step {
            case .cookiesIn: request.cookies != nil
            case .stateIn: request.state != nil
            case .loadStarted, .loadFinished: true
            case .firstPaint: !script.has(.noPaint)
            case .verified: !script.has(.noPaint) && !script.has(.neverVerify)
            case .failed: false
            }
        }
    }

    /// Does one step after another, with the pauses of the script.
    private func take(_ request: SupervisorMessage.Bind, _ steps: ArraySlice<HostMessage.Step>) {
        guard let step = steps.first else { return bound(request) }
        let delay = script.time(.slowSteps)
        guard delay > 0 else {
            perform(step, request)
            return take(request, steps.dropFirst())
        }
        after(delay) { [unowned self] in
            guard slots.bind(of: request.slot) == request.bind else { return }
            perform(step, request)
            take(request, steps.dropFirst())
        }
    }

    private func perform(_ step: HostMessage.Step, _ request: SupervisorMessage.Bind) {
        guard let page = slots[request.slot]?.payload else { return }
        switch step {
        case .cookiesIn: cookies.noteFromSupervisor(.init(set: request.cookies ?? []))
        case .stateIn: break
        case .loadStarted: channel.send(.navigation(.init(slot: request.slot, phase: .started, url: request.url)))
        case .loadFinished:
            page.show(request.state?.url ?? request.url)
            if let state = request.state { page.state = state }
            finish(request.slot, page)
        case .firstPaint, .verified, .failed: break
        }
        progress(request, step)
    }

    private func bound(_ request: SupervisorMessage.Bind) {
        reportState(request.slot)
        if script.holds(.hangPageAfterBind, at: binds) {
            slots[request.slot]?.payload.silentSince = MonotonicClock.microseconds()
        }
        if script.holds(.hangAfterBind, at: binds) { hang() }
    }

    func finish(_ slot: Int, _ page: FakePage) {
        for phase in [HostMessage.Navigation.Phase.committed, .finished] {
            channel.send(
                .navigation(
                    .init(slot: slot, phase: phase, url: page.state.url, title: page.state.title, status: 200)))
        }
    }

    func navigate(_ request: SupervisorMessage.Navigate) {
        guard let page = slots[request.slot]?.payload, slots.bind(of: request.slot) != nil else { return }
        switch request.action {
        case .load: page.show(request.url ?? page.state.url)
        case .reload, .reloadBypassingCache: break
        case .stop, .back, .forward: return
        }
        channel.send(.navigation(.init(slot: request.slot, phase: .started, url: page.state.url)))
        finish(request.slot, page)
        reportState(request.slot)
    }

    func reportState(_ slot: Int) {
        guard let page = slots[slot]?.payload, slots.bind(of: slot) != nil else { return }
        channel.send(.pageState(.init(slot: slot, state: page.state)))
    }

    func screenshot(_ request: SupervisorMessage.Request) {
        do {
            let picture = try TinyPicture.png.withUnsafeBytes { try SharedMemory.make(name: "screenshot", bytes: $0) }
            reply(.init(id: request.id, hasDescriptor: true), descriptors: [picture])
        } catch {
            reply(.init(id: request.id, error: "\(error)"))
        }
    }

    /// Sends a last good frame of 2 x 2 pixels.
    func sendPicture(_ slot: Int) throws {
        let pixels = [UInt8](repeating: 0x80, count: 16)
        let memory = try pixels.withUnsafeBytes { try SharedMemory.make(name: "picture", bytes: $0) }
        channel.send(.picture(.init(slot: slot, width: 2, height: 2, stride: 8)), descriptors: [memory])
    }

    private func progress(_ request: SupervisorMessage.Bind, _ step: HostMessage.Step, _ detail: String? = nil) {
        channel.send(
            .progress(
                .init(
                    slot: request.slot, bind: request.bind, step: step, at: MonotonicClock.microseconds(),
                    detail: detail)))
    }
}

private enum TinyPicture {
    /// A PNG of one grey pixel.
    static let png: [UInt8] = [
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
        0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b,
        0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x68, 0x00, 0x00, 0x00,
        0x82, 0x00, 0x81, 0xda, 0x45, 0x08, 0x3b, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae,
        0x42, 0x60, 0x82,
    ]
}
