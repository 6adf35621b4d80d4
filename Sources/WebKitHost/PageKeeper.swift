// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import GTKSupport
import HostKit
import Platform
import Wire

/// What is kept of a bound view for the day on which its slot dies: its page state and its last good frame, each sent
/// when it changes, and no more often than is of use.
final class PageKeeper {
    private let slot: Slot
    private let window: ViewWindow
    private let send: (HostMessage, [FileDescriptor]) -> Void
    private var record: PageRecord
    private var lastState: PageState?
    /// The page script waits for changes to pause; this one only brings the frames' reports together.
    private var debounce = Debounce(quiet: 20_000, maximum: 100_000)
    private var stateTimer: LoopSource?
    private var pictureTimer: LoopSource?
    private var isPictureStale = true
    /// False until the page is verified: what is half restored must not replace what is kept.
    private var isStarted = false
    /// CLOCK_MONOTONIC microseconds of the last picture, and the least between two.
    private var lastPicture: UInt64 = 0
    private static let pictureInterval: UInt64 = 1_000_000

    init(
        slot: Slot, window: ViewWindow, state: PageState?, send: @escaping (HostMessage, [FileDescriptor]) -> Void
    ) {
        self.slot = slot
        self.window = window
        self.send = send
        record = PageRecord(state)
    }

    func start() {
        isStarted = true
        changed()
        takePicture()
    }

    func note(_ event: SlotEvent) {
        switch event {
        case .message(let message): note(message)
        case .navigation(.committed, _):
            if isStarted { record = PageRecord() }
            changed()
        case .navigation(.changed, _), .navigation(.finished, _): changed()
        case .drew:
            isPictureStale = true
            schedulePicture()
        case .navigation, .contentLost: break
        }
    }

    func note(_ message: PageMessage) {
        guard let frame = message.state else { return }
        record.note(frame, children: message.frames ?? 0)
        changed()
    }

    // MARK: - State

    private func changed() {
        guard isStarted else { return }
        let now = MonotonicClock.microseconds()
        debounce.noteChange(at: now)
        guard let deadline = debounce.deadline else { return }
        stateTimer?.cancel()
        stateTimer = .after(milliseconds: UInt32((deadline - min(now, deadline)) / 1000 + 1)) { [weak self] in
            self?.sendState()
        }
    }

    /// Sends the state as it is, unless it was sent already. Works on a slot whose content process has just died.
    func sendState() {
        _ = debounce.take(at: .max)
        guard isStarted else { return }
        var state = PageState(
            url: slot.url, title: slot.title, sessionState: slot.sessionState, frames: record.states)
        // A dead view has no address any more.
        if state.url.isEmpty { (state.url, state.title) = (lastState?.url ?? "", lastState?.title ?? "") }
        guard !state.url.isEmpty, state != lastState else { return }
        lastState = state
        send(.pageState(HostMessage.PageStateReport(slot: slot.number, state: state)), [])
    }

    /// Sends everything once more, to a relightd that has just started.
    func sendAll() {
        lastState = nil
        sendState()
        isPictureStale = true
        schedulePicture()
    }

    // MARK: - Picture

    /// A moment after the change, so that the picture shows where a scroll or an animation went to.
    private func schedulePicture() {
        guard isStarted, pictureTimer == nil else { return }
        let now = MonotonicClock.microseconds()
        let delay = max(150_000, lastPicture + Self.pictureInterval - min(now, lastPicture + Self.pictureInterval))
        pictureTimer = .after(milliseconds: UInt32(delay / 1000)) { [weak self] in
            self?.pictureTimer = nil
            self?.takePicture()
        }
    }

    private func takePicture() {
        guard isPictureStale, slot.isAlive, window.shown === slot, let image = slot.currentImage(),
            let texture = window.render(image),
            let (picture, memory) = try? Pictures.pixels(of: texture, slot: slot.number)
        else { return }
        isPictureStale = false
        lastPicture = MonotonicClock.microseconds()
        send(.picture(picture), [memory])
    }

    func stop() {
        stateTimer?.cancel()
        pictureTimer?.cancel()
    }
}
#endif
