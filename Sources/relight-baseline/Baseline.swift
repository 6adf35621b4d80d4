// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

#if WebKit
import CWebKitGTK

private typealias Terminated =
    @convention(c) (
        UnsafeMutablePointer<WebKitWebView>?, WebKitWebProcessTerminationReason, gpointer?
    ) -> Void
private typealias Closed = @convention(c) (UnsafeMutableRawPointer?, gpointer?) -> gboolean
#endif

/// The reference that `relight-bench recovery` measures Relight against: one WebKitGTK view in one window, which reloads
/// itself when its content process has died, as a kiosk without a supervisor does at best.
@main enum Baseline {
    static func main() {
        #if WebKit
        guard CommandLine.arguments.count == 2, CommandLine.arguments[1].contains("://") else {
            fail("usage: relight-baseline URL", status: 64)
        }
        run(url: CommandLine.arguments[1], width: 800, height: 600)
        #else
        // relight-bench then leaves the reference out.
        fail("this build has no WebKitGTK", status: 69)
        #endif
    }

    private static func fail(_ text: String, status: Int32) -> Never {
        let bytes = Array("relight-baseline: \(text)\n".utf8)
        _ = write(2, bytes, bytes.count)
        exit(status)
    }

    #if WebKit
    private static let onTerminated: Terminated = { view, _, _ in
        if let view { webkit_web_view_reload(view) }
    }

    private static let onClosed: Closed = { _, loop in
        g_main_loop_quit(OpaquePointer(loop))
        return 0
    }

    private static func run(url: String, width: Int32, height: Int32) {
        guard gtk_init_check() != 0 else { fail("there is no display", status: 69) }
        guard let window = gtk_window_new(), let widget = webkit_web_view_new(),
            let loop = g_main_loop_new(nil, 0)
        else { fail("no window can be made", status: 69) }
        let frame = cast(window, to: GtkWindow.self)
        gtk_window_set_decorated(frame, 0)
        gtk_window_set_default_size(frame, width, height)
        gtk_window_set_child(frame, widget)
        let view = cast(widget, to: WebKitWebView.self)
        connect(view, "web-process-terminated", unsafeBitCast(onTerminated, to: GCallback.self), nil)
        connect(frame, "close-request", unsafeBitCast(onClosed, to: GCallback.self), UnsafeMutableRawPointer(loop))
        webkit_web_view_load_uri(view, url)
        gtk_window_present(frame)
        g_main_loop_run(loop)
    }

    private static func cast<From, To>(
        _ pointer: UnsafeMutablePointer<From>, to type: To.Type
    ) -> UnsafeMutablePointer<To> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: type)
    }

    private static func connect<T>(
        _ object: UnsafeMutablePointer<T>, _ signal: String, _ callback: GCallback, _ data: gpointer?
    ) {
        g_signal_connect_data(
            UnsafeMutableRawPointer(object), signal, callback, data, nil, GConnectFlags(rawValue: 0))
    }
    #endif
}
