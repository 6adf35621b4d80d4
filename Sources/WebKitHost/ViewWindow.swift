// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import GTKSupport

/// The window of one view. On top lies what the screen may show; a new slot is put beneath it and comes up when it has
/// painted, so that nobody sees a page being built.
final class ViewWindow {
    let view: String
    private let window: Owned
    private let overlay: Owned
    /// What hides a slot that has not painted: a dead slot's last frame, or nothing but black at the very first start.
    private var cover: Owned?
    /// The slot that the screen shows, and the one that is to follow it.
    private(set) var shown: Slot?
    private(set) var incoming: Slot?
    /// The last slot that was bound to the view, for a release that comes after its loss.
    private(set) var lastSlot = 0
    private let isBareX11: Bool
    private let position: (x: Int32, y: Int32)
    private var isOnTop = false
    private var waiting: LoopSource?
    private var paintHandler: UInt?

    struct Placement {
        let isFullscreen: Bool
        let output: String?
        /// In pixels; 0 for the output's own.
        let width: Int
        let height: Int
    }

    init?(view: String, placement: Placement) {
        guard let window = gtk_window_new(), let overlay = gtk_overlay_new(),
            let display = gdk_display_get_default()
        else { return nil }
        self.view = view
        self.window = Owned(retaining: UnsafeMutableRawPointer(window))
        self.overlay = Owned(retaining: UnsafeMutableRawPointer(overlay))
        isBareX11 = relight_display_is_bare_x11(display) != 0
        let monitor = Monitor(named: placement.output, on: display)
        position = (monitor.x, monitor.y)
        let toplevel = relight_window(window)
        gtk_window_set_title(toplevel, view)
        gtk_window_set_decorated(toplevel, 0)
        gtk_window_set_default_size(
            toplevel, placement.width > 0 ? Int32(placement.width) : monitor.width,
            placement.height > 0 ? Int32(placement.height) : monitor.height)
        if placement.isFullscreen {
            if let pointer = monitor.pointer {
                gtk_window_fullscreen_on_monitor(toplevel, pointer)
            } else {
                gtk_window_fullscreen(toplevel)
            }
        }
        gtk_window_set_child(toplevel, overlay)
        // Nobody closes a view but relightd.
        Signal.answer(UnsafeMutableRawPointer(window), "close-request", { _ in true })
    }

    // MARK: - Slots

    /// Puts a slot beneath what is shown, mapped, so that it paints.
    func insert(_ slot: Slot) {
        incoming = slot
        lastSlot = slot.number
        if shown == nil, cover == nil { setCover(Self.black()) }
        relight_overlay_add_lowest(overlay.widget, slot.view.widget)
        if gtk_widget_get_mapped(window.widget) == 0 { map() }
    }

    /// The first mapping: below everything else, so that what was on the screen, a curtain say, stays there until the
    /// page has painted.
    private func map() {
        gtk_widget_realize(window.widget)
        if let surface = relight_window_surface(window.widget) {
            relight_surface_clear_background(surface)
            if isBareX11 { relight_surface_lower(surface) }
        }
        gtk_widget_set_visible(window.widget, 1)
        if let surface = relight_window_surface(window.widget), isBareX11 {
            relight_surface_lower(surface)
            relight_surface_move(surface, position.x, position.y)
        }
    }

    /// Shows the slot that has painted; `done` is called when the screen does so. Returns the slot that it replaces.
    func promote(done: @escaping () -> Void) -> Slot? {
        guard let slot = incoming else { return nil }
        let old = shown
        shown = slot
        incoming = nil
        if let old, gtk_widget_get_parent(old.view.widget) != nil { gtk_widget_unparent(old.view.widget) }
        setCover(nil)
        gtk_widget_grab_focus(slot.view.widget)
        afterNextPaint { [weak self] in
            guard let self else { return }
            guard !isOnTop, let surface = relight_window_surface(window.widget) else { return done() }
            isOnTop = true
            guard isBareX11 else { return done() }
            relight_surface_raise(surface)
            // The server kept nothing of what was covered: it is drawn once more, over the pixels that were there.
            gtk_widget_queue_draw(window.widget)
            afterNextPaint(done)
        }
        return old
    }

    /// The shown slot is dead: keeps `frame`, its last one, on the screen.
    func hold(_ frame: Owned?) {
        guard let dead = shown else { return }
        if let frame, let picture = gtk_picture_new_for_paintable(frame.opaque) {
            let owned = Owned(retaining: UnsafeMutableRawPointer(picture))
            gtk_picture_set_can_shrink(relight_picture(picture), 1)
            setCover(owned)
        } else if cover == nil {
            setCover(Self.black())
        }
        shown = nil
        dead.destroy()
    }

    /// The slot that was to follow is given up.
    func dropIncoming() {
        incoming?.destroy()
        incoming = nil
    }

    func close() {
        waiting?.cancel()
        incoming?.destroy()
        shown?.destroy()
        incoming = nil
        shown = nil
        gtk_window_destroy(relight_window(window.widget))
    }

    private func setCover(_ widget: Owned?) {
        if let cover { gtk_widget_unparent(cover.widget) }
        cover = widget
        if let widget { relight_overlay_add_top(overlay.widget, widget.widget) }
    }

    private static func black() -> Owned? {
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) else { return nil }
        gtk_widget_add_css_class(box, "relight-black")
        return Owned(retaining: UnsafeMutableRawPointer(box))
    }

    // MARK: - Frames

    /// Calls `body` when the window has drawn its next frame, or after a quarter of a second in which it did not: a
    /// display that is off draws none.
    func afterNextPaint(_ body: @escaping () -> Void) {
        guard let clock = gtk_widget_get_frame_clock(window.widget) else { return body() }
        let pointer = UnsafeMutableRawPointer(clock)
        var handler: UInt = 0
        var isDone = false
        let finish = { [weak self] in
            guard !isDone else { return }
            isDone = true
            Signal.disconnect(pointer, handler)
            self?.waiting?.cancel()
            body()
        }
        handler = Signal.connect(pointer, "after-paint") { _ in finish() }
        waiting = .after(milliseconds: 250, finish)
        gtk_widget_queue_draw(window.widget)
    }

    /// Draws an image with the window's own renderer; the caller owns the texture.
    func render(_ image: Owned) -> Owned? {
        guard let renderer = relight_window_renderer(window.widget) else { return nil }
        return relight_render(renderer, image.opaque).map { Owned(taking: UnsafeMutableRawPointer($0)) }
    }
}

/// The part of the screen that a view's window covers.
private struct Monitor {
    var pointer: OpaquePointer?
    var x: Int32 = 0
    var y: Int32 = 0
    var width: Int32 = 1280
    var height: Int32 = 720

    /// - Parameters:
    ///   - name: a connector ("HDMI-1"); without one, or if there is none of that name, the first monitor.
    ///   - display: the GdkDisplay.
    init(named name: String?, on display: OpaquePointer) {
        guard let list = gdk_display_get_monitors(display) else { return }
        for index in 0..<g_list_model_get_n_items(list) {
            guard let item = g_list_model_get_item(list, index) else { continue }
            let candidate = OpaquePointer(item)
            // The display keeps its monitors; this reference is not needed.
            g_object_unref(item)
            if pointer == nil || name == text(gdk_monitor_get_connector(candidate)) { pointer = candidate }
        }
        guard let pointer else { return }
        var geometry = GdkRectangle()
        gdk_monitor_get_geometry(pointer, &geometry)
        (x, y, width, height) = (geometry.x, geometry.y, geometry.width, geometry.height)
    }
}
#endif
