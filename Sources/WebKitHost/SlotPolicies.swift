// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import CWebKitGTK
import GTKSupport

/// What a page on an unattended screen may ask for: nothing that would wait for a person, or cover the page.
enum SlotPolicies {
    /// - Parameter view: a WebKitWebView.
    static func install(on view: UnsafeMutableRawPointer) {
        Signal.answer(view, "script-dialog", { answer(dialog: $0.object(1)) })
        Signal.answer(
            view, "permission-request",
            {
                if let request = $0.object(1) { webkit_permission_request_deny(request) }
                return true
            })
        Signal.answer(view, "decide-policy", { decide($0.pointer(1), $0.enumeration(2)) })
        Signal.answer(
            view, "run-file-chooser",
            {
                if let request = $0.object(1) { webkit_file_chooser_request_cancel(request) }
                return true
            })
        Signal.answer(
            view, "authenticate",
            {
                if let request = $0.object(1) { webkit_authentication_request_cancel(request) }
                return true
            })
        // Nothing to do is the whole answer to these; without a handler of "create", no window is opened.
        for name in ["print", "context-menu", "show-notification", "run-color-chooser"] {
            Signal.answer(view, name, { _ in true })
        }
    }

    /// An open dialog stops the page, so each gets its least consequential answer; only leaving the page is allowed.
    private static func answer(dialog: OpaquePointer?) -> Bool {
        guard let dialog else { return true }
        switch webkit_script_dialog_get_dialog_type(dialog) {
        case WEBKIT_SCRIPT_DIALOG_CONFIRM: webkit_script_dialog_confirm_set_confirmed(dialog, 0)
        case WEBKIT_SCRIPT_DIALOG_BEFORE_UNLOAD_CONFIRM: webkit_script_dialog_confirm_set_confirmed(dialog, 1)
        default: break
        }
        // Handled, and so closed when this returns: closing it here would give back WebKit's own reference.
        return true
    }

    private static func decide(_ decision: UnsafeMutableRawPointer?, _ type: UInt32) -> Bool {
        guard let decision,
            WebKitPolicyDecisionType(rawValue: type) == WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION
        else { return false }
        webkit_policy_decision_ignore(decision.assumingMemoryBound(to: WebKitPolicyDecision.self))
        return true
    }
}
#endif
