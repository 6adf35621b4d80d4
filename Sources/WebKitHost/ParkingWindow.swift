// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import GTKSupport

/// Where warm slots wait: a window off the screen, so that they have their size and have painted when they are needed.
final class ParkingWindow {
    private let overlay: Owned
    private let window: OutputWindow

    /// Nil where a window cannot lie off the screen; slots then wait without a window, and paint later.
    init?(width: Int, height: Int) {
        guard let overlay = gtk_overlay_new() else { return nil }
        self.overlay = Owned(retaining: UnsafeMutableRawPointer(overlay))
        let placement = OutputWindow.Placement(isFullscreen: false, width: width, height: height)
        guard let window = OutputWindow(title: "warm", placement: placement, child: overlay) else { return nil }
        self.window = window
        if !window.mapOffScreen() {
            window.close()
            return nil
        }
    }

    func add(_ slot: Slot) {
        relight_overlay_add_lowest(overlay.widget, slot.view.widget)
    }
}
#endif
