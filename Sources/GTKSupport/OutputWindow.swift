// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
package import CGTK

/// A window that covers one output, beneath all others until it is raised, so that what was on the screen stays there
/// until this one has something to show.
package final class OutputWindow {
    package struct Placement {
        package let isFullscreen: Bool
        /// A connector ("HDMI-1"); nil for the first output.
        package let output: String?
        /// In pixels; 0 for the output's own.
        package let width: Int
        package let height: Int

        package init(isFullscreen: Bool = true, output: String? = nil, width: Int = 0, height: Int = 0) {
            self.isFullscreen = isFullscreen
            self.output = output
            self.width = width
            self.height = height
        }
    }

    private let window: Owned
    /// Without a window manager the X server stacks and places windows as they say themselves.
    private let isBareX11: Bool
    private let position: (x: Int32, y: Int32)
    private var waiting: LoopSource?

    package var widget: UnsafeMutablePointer<GtkWidget> { window.widget }
    package var isMapped: Bool { gtk_widget_get_mapped(window.widget) != 0 }

    /// Nil if GTK cannot make a window.
    package init?(title: String, placement: Placement, child: UnsafeMutablePointer<GtkWidget>) {
        guard let window = gtk_window_new(), let display = gdk_display_get_default() else { return nil }
        self.window = Owned(retaining: UnsafeMutableRawPointer(window))
        isBareX11 = relight_display_is_bare_x11(display) != 0
        let monitor = Monitor(named: placement.output, on: display)
        position = (monitor.x, monitor.y)
        let toplevel = relight_window(window)
        gtk_window_set_title(toplevel, title)
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
        gtk_window_set_child(toplevel, child)
        // Nobody closes it but relightd.
        Signal.answer(UnsafeMutableRawPointer(window), "close-request") { _ in true }
    }

    /// Puts the window on the display, below everything that is there.
    package func mapBelow() {
        gtk_widget_realize(window.widget)
        if let surface = relight_window_surface(window.widget) {
            relight_surface_clear_background(surface)
            if isBareX11 { relight_surface_lower(surface) }
        }
        gtk_widget_set_visible(window.widget, 1)
        if isBareX11, let surface = relight_window_surface(window.widget) {
            relight_surface_lower(surface)
            relight_surface_move(surface, position.x, position.y)
        }
    }

    /// Puts the window where no screen is, so that its content is laid out and painted in full while nobody sees it.
    ///
    /// - Returns: false, with nothing done, where windows cannot be put anywhere: with a window manager, on Wayland.
    package func mapOffScreen() -> Bool {
        guard isBareX11 else { return false }
        mapBelow()
        if let surface = relight_window_surface(window.widget) { relight_surface_move(surface, -16384, -16384) }
        return true
    }

    /// Brings it above all others; `done` is called when the screen shows it.
    package func raise(done: @escaping () -> Void) {
        guard isBareX11, let surface = relight_window_surface(window.widget) else { return done() }
        relight_surface_raise(surface)
        // The server kept nothing of what was covered: it is drawn once more, over the pixels that were there.
        afterNextPaint(done)
    }

    package func close() {
        waiting?.cancel()
        gtk_window_destroy(relight_window(window.widget))
    }

    /// Calls `body` when the window has drawn its next frame, or after a quarter of a second in which it did not: a
    /// display that is off draws none.
    package func afterNextPaint(_ body: @escaping () -> Void) {
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

    /// Draws an image with the window's own renderer.
    ///
    /// - Parameter image: a GdkPaintable.
    /// - Returns: a GdkTexture of the image's own size.
    package func render(_ image: Owned) -> Owned? {
        guard let renderer = relight_window_renderer(window.widget) else { return nil }
        return relight_render(renderer, image.opaque).map { Owned(taking: UnsafeMutableRawPointer($0)) }
    }
}

/// The part of the screen that a window covers.
private struct Monitor {
    var pointer: OpaquePointer?
    var x: Int32 = 0
    var y: Int32 = 0
    var width: Int32 = 1280
    var height: Int32 = 720

    /// The monitor with this connector; the first one if there is none, or no name.
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
