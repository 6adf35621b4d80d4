// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import CWebKitGTK
import FoundationEssentials
import GTKSupport
import HostKit
import Platform
import Wire

/// What a slot tells the application.
enum SlotEvent {
    case navigation(HostMessage.Navigation.Phase, error: String?)
    case message(PageMessage)
    /// The engine drew something new.
    case drew
    case contentLost(HostMessage.LossReason)
}

/// One web view, and what is known of the page in it.
final class Slot {
    let number: Int
    /// False if the view draws only what GTK asks for: it must then be drawn to paint, even beneath another widget.
    let paintsUndrawn: Bool
    let view: Owned
    private let manager: Owned
    /// Mirrors what the view last drew; its current image outlives the content process.
    private let mirror: Owned
    private var script: OpaquePointer?
    var contentPID: Int32?
    /// CLOCK_MONOTONIC microseconds at which the page's main thread last showed that it runs.
    var lastBeat = MonotonicClock.microseconds()
    var isBeatPending = false
    var status: Int?
    var handle: ((SlotEvent) -> Void)?
    private(set) var isAlive = true

    var webView: UnsafeMutablePointer<WebKitWebView> { relight_web_view(view.widget) }
    var url: String { text(webkit_web_view_get_uri(webView)) }
    var title: String { text(webkit_web_view_get_title(webView)) }

    init?(number: Int, engine: Engine) {
        guard let (view, manager) = engine.makeView(), let mirror = gtk_widget_paintable_new(view.widget) else {
            return nil
        }
        self.number = number
        paintsUndrawn = !engine.isAccelerated
        self.view = view
        self.manager = manager
        self.mirror = Owned(taking: UnsafeMutableRawPointer(mirror))
        install(restoring: nil)
        connect()
        SlotPolicies.install(on: view.pointer)
    }

    private func connect() {
        Signal.connect(view.pointer, "load-changed") { [weak self] in self?.loadChanged($0.enumeration(1)) }
        Signal.answer(
            view.pointer, "load-failed",
            { [weak self] in
                self?.handle?(.navigation(.failed, error: $0.error(3)))
                return true
            })
        Signal.answer(
            view.pointer, "load-failed-with-tls-errors",
            { [weak self] _ in
                self?.handle?(.navigation(.failed, error: "the server's certificate is not trusted"))
                return true
            })
        for property in ["notify::title", "notify::uri"] {
            Signal.connect(view.pointer, property) { [weak self] _ in
                self?.handle?(.navigation(.changed, error: nil))
            }
        }
        Signal.connect(view.pointer, "web-process-terminated") { [weak self] in
            self?.terminated(WebKitWebProcessTerminationReason(rawValue: $0.enumeration(1)))
        }
        Signal.connect(manager.pointer, "script-message-received::" + PageScript.world) { [weak self] in
            if let value = $0.object(1) { self?.received(value) }
        }
        Signal.connect(mirror.pointer, "invalidate-contents") { [weak self] _ in self?.handle?(.drew) }
    }

    private func loadChanged(_ event: UInt32) {
        switch WebKitLoadEvent(rawValue: event) {
        case WEBKIT_LOAD_STARTED:
            status = nil
            handle?(.navigation(.started, error: nil))
        case WEBKIT_LOAD_REDIRECTED: handle?(.navigation(.redirected, error: nil))
        case WEBKIT_LOAD_COMMITTED:
            lastBeat = MonotonicClock.microseconds()
            if let resource = webkit_web_view_get_main_resource(webView),
                let response = webkit_web_resource_get_response(resource)
            {
                let code = Int(webkit_uri_response_get_status_code(response))
                status = code == 0 ? nil : code
            }
            handle?(.navigation(.committed, error: nil))
        case WEBKIT_LOAD_FINISHED: handle?(.navigation(.finished, error: nil))
        default: break
        }
    }

    private func terminated(_ reason: WebKitWebProcessTerminationReason) {
        guard isAlive else { return }
        isAlive = false
        switch reason {
        case WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT: handle?(.contentLost(.exceededMemory))
        case WEBKIT_WEB_PROCESS_TERMINATED_BY_API: handle?(.contentLost(.terminated))
        default: handle?(.contentLost(.crashed))
        }
    }

    private func received(_ value: OpaquePointer) {
        guard isAlive, let pointer = jsc_value_to_string(value) else { return }
        defer { g_free(pointer) }
        lastBeat = MonotonicClock.microseconds()
        // Anything else than the page script's own messages cannot come here; what cannot be read is left out.
        guard let message = try? JSON.decode(PageMessage.self, from: Array(String(cString: pointer).utf8)) else {
            return
        }
        handle?(.message(message))
    }

    // MARK: - The page script

    /// Puts the page script in place for the documents that begin from now on.
    func install(restoring state: PageState?) {
        let json = state.flatMap { try? JSON.encode($0) }.map { String(decoding: $0, as: UTF8.self) } ?? "null"
        removeScript()
        script = webkit_user_script_new_for_world(
            PageScript.source(restore: json), WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES,
            WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, PageScript.world, nil, nil)
        webkit_user_content_manager_add_script(manager.opaque, script)
    }

    private func removeScript() {
        guard let script else { return }
        webkit_user_content_manager_remove_script(manager.opaque, script)
        webkit_user_script_unref(script)
        self.script = nil
    }

    // MARK: - History

    /// The engine's session state, base64.
    var sessionState: String? {
        guard let state = webkit_web_view_get_session_state(webView) else { return nil }
        defer { webkit_web_view_session_state_unref(state) }
        guard let bytes = webkit_web_view_session_state_serialize(state) else { return nil }
        defer { g_bytes_unref(bytes) }
        var size: UInt = 0
        guard let start = g_bytes_get_data(bytes, &size) else { return nil }
        return Data(bytes: start, count: Int(size)).base64EncodedString()
    }

    /// Fills the back-forward list; true if its current item is at `url`, so that going there brings the page back.
    func restoreHistory(_ base64: String, wanted url: String) -> OpaquePointer? {
        guard let data = Data(base64Encoded: base64), !data.isEmpty else { return nil }
        let bytes = data.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        guard let state = webkit_web_view_session_state_new(bytes) else { return nil }
        defer { webkit_web_view_session_state_unref(state) }
        webkit_web_view_restore_session_state(webView, state)
        guard let list = webkit_web_view_get_back_forward_list(webView),
            let item = webkit_back_forward_list_get_current_item(list),
            text(webkit_back_forward_list_item_get_uri(item)) == url
        else { return nil }
        return item
    }

    /// - Parameters:
    ///   - url: where to go.
    ///   - historyItem: the item of `restoreHistory` that is there already.
    func load(_ url: String, historyItem: OpaquePointer? = nil) {
        if let historyItem {
            webkit_web_view_go_to_back_forward_list_item(webView, historyItem)
        } else {
            webkit_web_view_load_uri(webView, url)
        }
    }

    // MARK: - What it shows

    /// What the view last drew, as an image of its own; nil if it never drew anything.
    func currentImage() -> Owned? {
        guard let image = gdk_paintable_get_current_image(mirror.opaque) else { return nil }
        let owned = Owned(taking: UnsafeMutableRawPointer(image))
        return gdk_paintable_get_intrinsic_width(owned.opaque) > 0 ? owned : nil
    }

    /// Takes the view out of the window that it is in.
    func detach() {
        if gtk_widget_get_parent(view.widget) != nil { gtk_widget_unparent(view.widget) }
    }

    /// Ends the content process, if it lives, and takes the view off the screen. Nothing is reported any more.
    func destroy() {
        handle = nil
        if isAlive {
            isAlive = false
            // A page that hangs would not close by itself; and an unload handler is nothing to wait for.
            webkit_web_view_terminate_web_process(webView)
        }
        removeScript()
        detach()
    }
}
#endif
