// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import GTKSupport

/// The window of one view. On top lies what the screen may show; a new slot is put beneath it and comes up when it has
/// painted, so that nobody sees a page being built.
final class ViewWindow {
    let view: String
    private let window: OutputWindow
    private let overlay: Owned
    /// What hides a slot that has not painted: a dead slot's last frame, or nothing but black at the very first start.
    private var cover: Owned?
    /// The slot that the screen shows, and the one that is to follow it.
    private(set) var shown: Slot?
    private(set) var incoming: Slot?
    /// The last slot that was bound to the view, for a release that comes after its loss.
    private(set) var lastSlot = 0
    private var isOnTop = false

    init?(view: String, placement: OutputWindow.Placement) {
        guard let overlay = gtk_overlay_new() else { return nil }
        self.view = view
        self.overlay = Owned(retaining: UnsafeMutableRawPointer(overlay))
        guard let window = OutputWindow(title: view, placement: placement, child: overlay) else { return nil }
        self.window = window
    }

    /// Puts a slot beneath what is shown, mapped, so that it paints.
    func insert(_ slot: Slot) {
        incoming = slot
        lastSlot = slot.number
        if shown == nil, cover == nil { setCover(Self.black()) }
        slot.detach()
        // What lies on top of it need not be drawn again for it.
        if slot.paintsUndrawn { gtk_widget_set_opacity(slot.view.widget, 0) }
        relight_overlay_add_lowest(overlay.widget, slot.view.widget)
        if !window.isMapped { window.mapBelow() }
    }

    /// Shows the slot that has painted.
    ///
    /// - Parameter done: called when the screen shows it.
    /// - Returns: the slot that it replaces, still alive.
    func promote(done: @escaping () -> Void) -> Slot? {
        guard let slot = incoming else { return nil }
        let old = shown
        shown = slot
        incoming = nil
        old?.detach()
        gtk_widget_set_opacity(slot.view.widget, 1)
        setCover(nil)
        gtk_widget_grab_focus(slot.view.widget)
        window.afterNextPaint { [weak self] in
            guard let self else { return }
            if isOnTop { return done() }
            isOnTop = true
            window.raise(done: done)
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
        incoming?.destroy()
        shown?.destroy()
        incoming = nil
        shown = nil
        window.close()
    }

    func render(_ image: Owned) -> Owned? { window.render(image) }

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
}
#endif
