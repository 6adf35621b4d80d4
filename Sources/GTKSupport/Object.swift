// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
package import CGTK

/// One reference to a GObject; given back when this goes away.
///
/// The whole of GTK belongs to the thread that called gtk_init(). Nothing in this module is Sendable, so the compiler
/// keeps all of it on the thread that began with it, and no lock and no actor is needed.
package final class Owned {
    package let pointer: UnsafeMutableRawPointer

    /// Takes over a reference that the caller holds (`transfer full`).
    package init(taking pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer
    }

    /// Takes a reference of its own; a floating one (a new widget's) becomes it.
    package init(retaining pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer
        g_object_ref_sink(pointer)
    }

    deinit {
        g_object_unref(pointer)
    }

    package var opaque: OpaquePointer { OpaquePointer(pointer) }
    package var widget: UnsafeMutablePointer<GtkWidget> { pointer.assumingMemoryBound(to: GtkWidget.self) }
}

/// The text of a C string, or an empty one.
package func text(_ pointer: UnsafePointer<CChar>?) -> String {
    pointer.map { String(cString: $0) } ?? ""
}

/// Calls a function that reports by GError; returns its result and the error's text, if any.
package func withError<R>(_ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> R) -> (R, String?) {
    var error: UnsafeMutablePointer<GError>?
    let result = body(&error)
    guard let error else { return (result, nil) }
    defer { g_error_free(error) }
    return (result, text(error.pointee.message))
}
#endif
