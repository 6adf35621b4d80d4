// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import CWebKitGTK
import GTKSupport
import Platform
import Wire

/// A request of relightd that is answered once: by its result, or by its deadline, since a page that hangs never
/// answers.
final class PendingReply {
    private let id: RequestID
    private var answer: ((HostMessage.Reply, [FileDescriptor]) -> Void)?
    private var timer: LoopSource?

    init(
        id: RequestID, seconds: UInt32, late: String,
        answer: @escaping (HostMessage.Reply, [FileDescriptor]) -> Void
    ) {
        self.id = id
        self.answer = answer
        timer = .after(milliseconds: seconds * 1000) { [weak self] in self?.fail(late) }
    }

    var isWaiting: Bool { answer != nil }

    func succeed(_ value: JSONValue?, descriptor: FileDescriptor? = nil) {
        finish(
            HostMessage.Reply(id: id, value: value, hasDescriptor: descriptor != nil), descriptor.map { [$0] } ?? []
        )
    }

    func fail(_ text: String) {
        finish(HostMessage.Reply(id: id, error: text), [])
    }

    private func finish(_ reply: HostMessage.Reply, _ descriptors: [FileDescriptor]) {
        guard let answer else { return }
        self.answer = nil
        timer?.cancel()
        answer(reply, descriptors)
    }
}

extension Slot {
    /// Runs a script; its result is JSON text, or nil if JSON cannot say it (`undefined`, a function).
    ///
    /// - Parameters:
    ///   - script: an expression or a program; the value of the last statement is the result.
    ///   - world: nil for the page's own.
    ///   - done: gets the result, or the error with its place in the script.
    func evaluate(_ script: String, world: String?, done: @escaping (Result<String?, ScriptError>) -> Void) {
        let callback = AsyncCallback.make { source, result in
            guard let source else { return done(.failure(ScriptError("the page is gone"))) }
            let view = relight_web_view(UnsafeMutableRawPointer(source).assumingMemoryBound(to: GtkWidget.self))
            let (value, error) = withError { webkit_web_view_evaluate_javascript_finish(view, result, $0) }
            guard let value else { return done(.failure(ScriptError(error ?? "the page gave no result"))) }
            defer { g_object_unref(UnsafeMutableRawPointer(value)) }
            guard let json = jsc_value_to_json(value, 0) else { return done(.success(nil)) }
            defer { g_free(json) }
            done(.success(String(cString: json)))
        }
        script.withCString { pointer in
            webkit_web_view_evaluate_javascript(
                webView, pointer, -1, world, world == nil ? "relight:eval" : nil, nil, callback.function,
                callback.data)
        }
    }

    /// The result of one of the page script's own functions, which give JSON text as a string.
    func ask<T: Decodable>(_ script: String, as type: T.Type, done: @escaping (T?) -> Void) {
        evaluate(script, world: PageScript.world) { result in
            guard case .success(let json?) = result,
                let text = try? JSON.decode(String.self, from: Array(json.utf8))
            else { return done(nil) }
            done(try? JSON.decode(type, from: Array(text.utf8)))
        }
    }

    /// Paints the page afresh in the content process, whatever the screen shows.
    func snapshot(done: @escaping (Result<Owned, ScriptError>) -> Void) {
        let callback = AsyncCallback.make { source, result in
            guard let source else { return done(.failure(ScriptError("the page is gone"))) }
            let view = relight_web_view(UnsafeMutableRawPointer(source).assumingMemoryBound(to: GtkWidget.self))
            let (texture, error) = withError { webkit_web_view_get_snapshot_finish(view, result, $0) }
            guard let texture else { return done(.failure(ScriptError(error ?? "the page gave no picture"))) }
            done(.success(Owned(taking: UnsafeMutableRawPointer(texture))))
        }
        webkit_web_view_get_snapshot(
            webView, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, nil, callback.function,
            callback.data)
    }
}

/// Why a page gave no answer.
struct ScriptError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
#endif
