// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
package import CGTK

/// The arguments of a signal; the first one, number 0, is the object that sends it.
package struct SignalArguments {
    private let values: UnsafePointer<GValue>
    private let count: Int

    fileprivate init(values: UnsafePointer<GValue>, count: Int) {
        self.values = values
        self.count = count
    }

    /// An object, boxed value or string; nil if it is NULL or not there.
    package func pointer(_ index: Int) -> UnsafeMutableRawPointer? {
        index < count ? relight_value_pointer(values + index) : nil
    }

    package func object(_ index: Int) -> OpaquePointer? { pointer(index).map { OpaquePointer($0) } }

    package func enumeration(_ index: Int) -> UInt32 {
        index < count ? UInt32(bitPattern: g_value_get_enum(values + index)) : 0
    }

    package func string(_ index: Int) -> String {
        index < count ? text(g_value_get_string(values + index)) : ""
    }

    /// The text of a GError.
    package func error(_ index: Int) -> String {
        text(pointer(index)?.assumingMemoryBound(to: GError.self).pointee.message)
    }
}

/// Connects closures to signals. A connection lives as long as the object, or until `Signal.disconnect`.
package enum Signal {
    private final class Handler {
        let body: (SignalArguments) -> Bool
        init(_ body: @escaping (SignalArguments) -> Bool) { self.body = body }
    }

    /// For signals that want to know whether they were handled.
    @discardableResult
    package static func answer(
        _ object: UnsafeMutableRawPointer, _ name: String, _ body: @escaping (SignalArguments) -> Bool
    ) -> UInt {
        let data = Unmanaged.passRetained(Handler(body)).toOpaque()
        return UInt(
            relight_signal_connect(
                object, name,
                { result, count, arguments, data in
                    guard let data, let arguments else { return }
                    // A handler may end its own connection; it lives until it returns.
                    let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
                    let answer = handler.body(SignalArguments(values: arguments, count: Int(count)))
                    if let result, relight_value_is_boolean(result) != 0 {
                        g_value_set_boolean(result, answer ? 1 : 0)
                    }
                },
                data,
                { data, _ in
                    if let data { Unmanaged<Handler>.fromOpaque(data).release() }
                }))
    }

    @discardableResult
    package static func connect(
        _ object: UnsafeMutableRawPointer, _ name: String, _ body: @escaping (SignalArguments) -> Void
    ) -> UInt {
        answer(object, name) {
            body($0)
            return false
        }
    }

    package static func disconnect(_ object: UnsafeMutableRawPointer, _ handler: UInt) {
        g_signal_handler_disconnect(object, gulong(handler))
    }
}

/// A callback for GLib's asynchronous calls, which is called exactly once.
package final class AsyncCallback {
    private let body: (UnsafeMutablePointer<GObject>?, OpaquePointer?) -> Void

    private init(_ body: @escaping (UnsafeMutablePointer<GObject>?, OpaquePointer?) -> Void) {
        self.body = body
    }

    /// The C function to pass, and the data to pass with it; `body` gets the source object and the result.
    package static func make(
        _ body: @escaping (UnsafeMutablePointer<GObject>?, OpaquePointer?) -> Void
    ) -> (function: GAsyncReadyCallback, data: UnsafeMutableRawPointer) {
        (
            { source, result, data in
                guard let data else { return }
                Unmanaged<AsyncCallback>.fromOpaque(data).takeRetainedValue().body(source, result)
            },
            Unmanaged.passRetained(AsyncCallback(body)).toOpaque()
        )
    }
}
#endif
