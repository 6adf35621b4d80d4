// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import GTKSupport
import HostKit
import Platform
import Wire

#if WebKit
import CGTK
#endif

/// The host behind all others: one window that shows the last good frame of its view, so that the death of the host in
/// front of it, whose windows go with it, uncovers no blank screen. It loads no browser engine.
package enum CurtainHost {
    /// Runs until relightd says stop, or is gone. Call it on the main thread.
    package static func run() {
        let channel = GTKHost.start(program: "relight-curtain")
        #if WebKit
        let curtain = Curtain(channel: channel)
        // Its callbacks hold it weakly.
        withExtendedLifetime(curtain) { curtain.run() }
        #endif
    }
}

#if WebKit
/// The window and the conversation. All of it runs on GTK's thread.
private final class Curtain {
    /// It has one slot, which is its window.
    private static let slot = 1
    private let channel: HostChannel
    private let loop = MainLoop()
    private var source: ChannelSource?
    private var window: OutputWindow?
    private var picture: Owned?

    init(channel: HostChannel) {
        self.channel = channel
    }

    func run() {
        source = ChannelSource(
            channel: channel, handle: { [weak self] in self?.handle($0) }, end: { [weak self] in self?.ended($0) })
        channel.sayHello(renderer: "curtain", version: Release.version)
        loop.run()
    }

    private func ended(_ reason: String?) {
        if let reason { HostLaunch.complain(program: "relight-curtain", reason) }
        stop()
    }

    private func stop() {
        HostStop.armDeadline()
        loop.quit()
    }

    private func send(_ message: HostMessage) { source?.send(message) }

    private func refuse(_ id: RequestID) {
        send(.reply(.init(id: id, error: "a curtain shows no page")))
    }

    private func handle(_ incoming: HostChannel.Incoming) {
        switch incoming.message {
        case .welcome(let welcome):
            guard window == nil else { return send(.slotReady(.init(slot: Self.slot))) }
            open(.init(width: welcome.width, height: welcome.height), title: welcome.pool)
        case .bind(let request): bind(request)
        case .curtain(let frame):
            guard let memory = incoming.descriptors.first else { return }
            do {
                try show(frame, memory)
            } catch {
                send(.log(.init(priority: 4, text: "a frame for the curtain cannot be shown, ignoring it: \(error)")))
            }
        case .ping(let sequence): send(.pong(.init(sequence: sequence)))
        case .stop: stop()
        case .setCookies(let request): send(.reply(.init(id: request.id)))
        case .evaluate(let request): refuse(request.id)
        case .screenshot(let request), .capture(let request): refuse(request.id)
        case .cookiesStored, .warm, .release, .navigate: break
        }
    }

    private func open(_ placement: OutputWindow.Placement, title: String) {
        guard let widget = gtk_picture_new() else { return stop() }
        let picture = Owned(retaining: UnsafeMutableRawPointer(widget))
        gtk_picture_set_can_shrink(relight_picture(widget), 1)
        gtk_picture_set_content_fit(relight_picture(widget), GTK_CONTENT_FIT_FILL)
        guard let window = OutputWindow(title: title, placement: placement, child: widget) else { return stop() }
        self.picture = picture
        self.window = window
        window.mapBelow()
        window.afterNextPaint { [weak self] in self?.send(.slotReady(.init(slot: Self.slot))) }
    }

    /// Hangs it before another output; the frames come by `curtain`.
    private func bind(_ request: SupervisorMessage.Bind) {
        let old = window
        let frame = picture.flatMap { gtk_picture_get_paintable(relight_picture($0.widget)) }
        open(.init(isFullscreen: request.fullscreen, output: request.output), title: request.view)
        if let frame, let picture { gtk_picture_set_paintable(relight_picture(picture.widget), frame) }
        old?.close()
        for step in [HostMessage.Step.firstPaint, .verified] {
            send(
                .progress(
                    .init(slot: request.slot, bind: request.bind, step: step, at: MonotonicClock.microseconds())))
        }
    }

    private func show(_ frame: HostMessage.Picture, _ memory: FileDescriptor) throws {
        guard let picture else { return }
        let texture = try Textures.texture(of: frame, memory)
        gtk_picture_set_paintable(relight_picture(picture.widget), texture.opaque)
    }
}
#endif
