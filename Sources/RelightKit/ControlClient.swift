// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Cookies
package import Wire
import FoundationEssentials

/// A client of relightd's control socket. Every method waits for the answer, on the caller's thread.
///
/// One connection, one call at a time: use a client on one thread only. Every method throws `ControlError`, which says
/// what to do next.
package final class ControlClient {
    package let path: String
    /// How long a call may take; some wait for a renderer.
    package let timeout: Duration
    private let connection: ControlConnection

    /// Connects at once.
    package init(path: String = ControlSocket.path(), timeout: Duration = .seconds(30)) throws(ControlError) {
        self.path = path
        self.timeout = timeout
        connection = try ControlConnection(path: path)
    }

    /// Calls any method and returns its result.
    package func call<Result: Decodable>(
        _ method: Control.Method, _ parameters: some Encodable, as result: Result.Type
    ) throws(ControlError) -> Result {
        let reply = try reply(to: method.qualified, parameters)
        do {
            return try (reply.parameters ?? .object([:])).decoded(as: result)
        } catch {
            throw ControlError(
                .badReply, "relightd's answer to \(method.qualified) has another form: \(error.description)")
        }
    }

    /// Calls any method that has no result.
    package func call(_ method: Control.Method, _ parameters: some Encodable) throws(ControlError) {
        _ = try reply(to: method.qualified, parameters)
    }

    private func reply(to method: String, _ parameters: some Encodable) throws(ControlError) -> Varlink.Reply {
        let deadline = Deadline(in: timeout)
        try connection.send(try .to(method, parameters), until: deadline)
        return try connection.reply(to: method, until: deadline)
    }
}

extension ControlClient {
    /// All views, by name.
    package func list() throws(ControlError) -> [Control.View] {
        try call(.list, Nothing(), as: Control.ListResult.self).views
    }

    /// One view or all of them, with the hosts behind them.
    package func status(view: String? = nil) throws(ControlError) -> Control.StatusResult {
        try call(.status, Control.OptionalViewName(view: view), as: Control.StatusResult.self)
    }

    /// Opens a view that lasts until it is closed or relightd stops.
    package func open(view: String, url: String, pool: String? = nil) throws(ControlError) {
        try call(.open, Control.OpenParameters(view: view, url: url, pool: pool))
    }

    /// Closes a view and forgets its page state.
    package func close(view: String) throws(ControlError) {
        try call(.close, Control.ViewName(view: view))
    }

    package func load(view: String, url: String) throws(ControlError) {
        try call(.load, Control.LoadParameters(view: view, url: url))
    }

    package func reload(view: String) throws(ControlError) {
        try call(.reload, Control.ViewName(view: view))
    }

    /// Brings the view's cookies and page state to disk now.
    package func snapshot(view: String) throws(ControlError) -> Control.SnapshotResult {
        try call(.snapshot, Control.ViewName(view: view), as: Control.SnapshotResult.self)
    }

    /// A PNG of what the view shows.
    package func screenshot(view: String) throws(ControlError) -> [UInt8] {
        let result = try call(.screenshot, Control.ViewName(view: view), as: Control.ScreenshotResult.self)
        guard let png = Data(base64Encoded: result.png) else {
            throw ControlError(.badReply, "relightd's screenshot is not base64")
        }
        return Array(png)
    }

    /// Runs a script in the page and returns its value.
    package func evaluate(view: String, script: String) throws(ControlError) -> JSONValue {
        let parameters = Control.EvaluateParameters(view: view, script: script)
        return try call(.evaluate, parameters, as: Control.EvaluateResult.self).value
    }

    /// The cookies of the view's pool, as they are on disk.
    package func cookies(view: String) throws(ControlError) -> [Cookie] {
        try call(.listCookies, Control.ViewName(view: view), as: Control.CookiesResult.self).cookies
    }

    /// A drill: sends a signal (SIGKILL if none is named) to a process behind the view; returns its PID.
    package func kill(
        view: String, target: Control.KillParameters.Target = .content, signal: Int32? = nil
    ) throws(ControlError) -> Int32 {
        let parameters = Control.KillParameters(view: view, target: target, signal: signal)
        return try call(.kill, parameters, as: Control.KillResult.self).pid
    }

    /// Incidents, the newest first.
    package func incidents(view: String? = nil) throws(ControlError) -> [Control.Incident] {
        try call(.incidents, Control.OptionalViewName(view: view), as: Control.IncidentsResult.self).incidents
    }

    /// What listens here: `version` and the like (org.varlink.service.GetInfo).
    package func information() throws(ControlError) -> JSONValue {
        try reply(to: "\(Varlink.serviceInterface).GetInfo", Nothing()).parameters ?? .object([:])
    }

    /// Subscribes to events, on a connection of its own.
    package func subscribe(view: String? = nil) throws(ControlError) -> EventSubscription {
        try EventSubscription(path: path, view: view, timeout: timeout)
    }

    /// Hands every event from now on to `body` until that returns false; throws when relightd goes away.
    package func events(view: String? = nil, _ body: (Control.Event) -> Bool) throws(ControlError) {
        let subscription = try subscribe(view: view)
        while body(try subscription.next()) {}
    }
}

/// Events; none is missed that happens after the subscription was made. Ends when it is released.
package final class EventSubscription {
    private static let method = Control.Method.events.qualified
    private let connection: ControlConnection

    fileprivate init(path: String, view: String?, timeout: Duration) throws(ControlError) {
        connection = try ControlConnection(path: path)
        var call = try Varlink.Call.to(Self.method, Control.OptionalViewName(view: view))
        call.more = true
        let deadline = Deadline(in: timeout)
        try connection.send(call, until: deadline)
        // relightd says when it has begun to listen for us.
        _ = try connection.reply(to: Self.method, until: deadline)
    }

    /// The next event; throws `timedOut` after `timeout`, and waits for ever if that is nil.
    package func next(timeout: Duration? = nil) throws(ControlError) -> Control.Event {
        let reply = try connection.reply(to: Self.method, until: Deadline(in: timeout))
        do {
            return try (reply.parameters ?? .object([:])).decoded(as: Control.EventResult.self).event
        } catch {
            throw ControlError(.badReply, "an event of relightd cannot be read: \(error.description)")
        }
    }
}

/// The parameters of a method that has none.
private struct Nothing: Encodable {}

extension Varlink.Call {
    fileprivate static func to(_ method: String, _ parameters: some Encodable) throws(ControlError) -> Varlink.Call {
        do {
            return Varlink.Call(method: method, parameters: try JSONValue(encoding: parameters))
        } catch {
            throw ControlError(.badReply, "\(method) cannot be sent: \(error.description)")
        }
    }
}
