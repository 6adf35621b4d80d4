// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import CWebKitGTK
import GTKSupport

/// WebKit as one host uses it: one network session, whose cookies live in memory only, since relightd keeps them.
final class Engine {
    private let session: OpaquePointer
    private let settings: Owned
    let cookieManager: OpaquePointer

    /// - Parameters:
    ///   - dataDirectory: for localStorage, IndexedDB and the like.
    ///   - cacheDirectory: for the HTTP cache.
    init?(dataDirectory: String, cacheDirectory: String) {
        guard let session = webkit_network_session_new(dataDirectory, cacheDirectory),
            let cookieManager = webkit_network_session_get_cookie_manager(session),
            let settings = webkit_settings_new()
        else { return nil }
        self.session = session
        self.cookieManager = cookieManager
        self.settings = Owned(taking: UnsafeMutableRawPointer(settings))
        webkit_network_session_set_tls_errors_policy(session, WEBKIT_TLS_ERRORS_POLICY_FAIL)
        // Passwords of HTTP authentication are nobody's business on an unattended machine, nor is a keyring there.
        webkit_network_session_set_persistent_credential_storage_enabled(session, 0)
        // A page kept for the way back keeps its whole process; and PIDs could not be told apart.
        webkit_settings_set_enable_page_cache(settings, 0)
        webkit_settings_set_hardware_acceleration_policy(settings, Self.accelerationPolicy)
        Signal.connect(UnsafeMutableRawPointer(session), "download-started") { arguments in
            if let download = arguments.object(1) { webkit_download_cancel(download) }
        }
    }

    /// Whether pages are composited by OpenGL.
    var isAccelerated: Bool {
        webkit_settings_get_hardware_acceleration_policy(settings.opaque) != WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER
    }

    /// Without a graphics processor OpenGL is computed by the processor, which takes a content process from 100 to
    /// 160 MB and makes the first picture of a page four times as late; without it, only 3D perspective is lost.
    /// RELIGHT_WEBKIT_ACCELERATION, `always` or `never`, decides otherwise.
    private static var accelerationPolicy: WebKitHardwareAccelerationPolicy {
        switch text(getenv("RELIGHT_WEBKIT_ACCELERATION")) {
        case "never": WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER
        case "always": WEBKIT_HARDWARE_ACCELERATION_POLICY_ALWAYS
        default:
            GTKHost.hasGraphicsProcessor
                ? WEBKIT_HARDWARE_ACCELERATION_POLICY_ALWAYS : WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER
        }
    }

    /// A web view with a user content manager of its own, which is returned with it.
    func makeView() -> (view: Owned, manager: Owned)? {
        guard let manager = webkit_user_content_manager_new() else { return nil }
        let owned = Owned(taking: UnsafeMutableRawPointer(manager))
        webkit_user_content_manager_register_script_message_handler(manager, PageScript.world, PageScript.world)
        guard let widget = relight_web_view_new(session, manager, settings.opaque) else { return nil }
        return (Owned(retaining: UnsafeMutableRawPointer(widget)), owned)
    }

    /// The name and version of the engine, for `hello`.
    static var version: String {
        "WebKitGTK \(webkit_get_major_version()).\(webkit_get_minor_version()).\(webkit_get_micro_version())"
    }
}
#endif
