// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Configuration
import Cookies
import FoundationEssentials
import Glibc
import Platform
import Supervision
import Systemd
import Wire

/// The methods of io.relight.
extension Daemon {
    /// A failure of a method, with what the caller can do.
    struct CallFailure: Error {
        let code: Control.Failure
        let message: String
        let remedy: String
    }

    /// The reply frame; nil if replies follow by themselves.
    func call(
        _ method: Control.Method, _ parameters: JSONValue, _ peer: UnixSocket.Peer, client: UInt64
    ) async -> [UInt8]? {
        do {
            try authorize(method, peer)
            return try await answer(method, parameters, client)
        } catch let failure as CallFailure {
            return VarlinkService.failure(failure.code, message: failure.message, remedy: failure.remedy)
        } catch {
            return VarlinkService.failure(
                .invalidArgument, message: "\(error)", remedy: "see the interface's description")
        }
    }

    /// Whoever can open the socket may look; to change something, or to see what pages hold, one must be relightd's
    /// own user or root.
    private func authorize(_ method: Control.Method, _ peer: UnixSocket.Peer) throws {
        if peer.uid == 0 || peer.uid == geteuid() { return }
        switch method {
        case .list, .status, .incidents, .events: return
        case .open, .close, .load, .reload, .snapshot, .screenshot, .evaluate, .listCookies, .kill:
            throw CallFailure(
                code: .permissionDenied, message: "user \(peer.uid) may not call \(method.rawValue)",
                remedy: "call it as root or as the user that runs relightd")
        }
    }

    private func answer(_ method: Control.Method, _ parameters: JSONValue, _ client: UInt64) async throws -> [UInt8]? {
        switch method {
        case .list: return try VarlinkService.success(Control.ListResult(views: listViews(nil)))
        case .status: return try VarlinkService.success(try status(parameters))
        case .open: try open(parameters.decoded(as: Control.OpenParameters.self))
        case .close: try await close(parameters.decoded(as: Control.ViewName.self).view)
        case .load: try load(parameters.decoded(as: Control.LoadParameters.self))
        case .reload: try reload(parameters.decoded(as: Control.ViewName.self).view)
        case .snapshot: return try VarlinkService.success(await snapshot(viewName(parameters)))
        case .screenshot: return try VarlinkService.success(await screenshot(viewName(parameters)))
        case .evaluate: return try VarlinkService.success(await evaluate(parameters))
        case .listCookies:
            let pool = try view(viewName(parameters)).pool
            return try VarlinkService.success(Control.CookiesResult(cookies: pools[pool]?.storedCookies ?? []))
        case .kill: return try VarlinkService.success(kill(parameters.decoded(as: Control.KillParameters.self)))
        case .incidents:
            let name = try parameters.decoded(as: Control.OptionalViewName.self).view
            return try VarlinkService.success(Control.IncidentsResult(incidents: incidents.newest(of: name)))
        case .events:
            let name = try parameters.decoded(as: Control.OptionalViewName.self).view
            control?.clients[client]?.subscription = .init(view: name)
            let event = Control.Event(kind: "subscribed", at: WallClock.now, view: name, message: "events follow")
            return try VarlinkService.success(Control.EventResult(event: event), continues: true)
        }
        return VarlinkService.success()
    }

    private func viewName(_ parameters: JSONValue) throws -> String {
        try parameters.decoded(as: Control.ViewName.self).view
    }

    private func view(_ name: String) throws -> ViewRecord {
        if let view = views[name] { return view }
        let known = views.keys.sorted().prefix(10).joined(separator: ", ")
        throw CallFailure(
            code: .viewNotFound, message: "there is no view '\(name)'",
            remedy: known.isEmpty ? "open one: relightctl open URL --name NAME" : "there are: \(known)")
    }

    private func place(of name: String) throws -> (host: RunningHost, slot: Int) {
        let view = try view(name)
        guard let place = view.place, let host = hosts[place.host], host.bound.contains(place.slot) else {
            throw CallFailure(
                code: .notReady, message: "view '\(name)' has no renderer just now (\(view.state.rawValue))",
                remedy: "wait until 'relightctl status \(name)' says ready")
        }
        return (host, place.slot)
    }

    // MARK: - Looking

    func listViews(_ name: String?) -> [Control.View] {
        views.values.filter { name == nil || $0.name == name }.sorted { $0.name < $1.name }.map { view in
            let host = view.place.flatMap { hosts[$0.host] }
            let renderer: String =
                switch pools[view.pool]?.settings.renderer {
                case .webkit, nil: "webkit"
                case .builtin: "builtin"
                case .executable(let path): path
                }
            return Control.View(
                name: view.name, pool: view.pool, state: view.state, url: view.url.isEmpty ? view.wantedURL : view.url,
                title: view.title, renderer: renderer, slot: host == nil ? nil : view.place?.slot, hostPID: host?.pid,
                contentPID: view.place.flatMap { host?.contentPIDs[$0.slot] }, networkPID: host?.networkPID,
                incidents: view.incidents, since: view.since, snapshotAt: view.savedAt,
                cookies: pools[view.pool]?.storedCookies.count ?? 0)
        }
    }

    private func status(_ parameters: JSONValue) throws -> Control.StatusResult {
        let name = try parameters.decoded(as: Control.OptionalViewName.self).view
        let pool = try name.map { try view($0).pool }
        let hosts = hosts.values.filter { pool == nil || $0.pool == pool }.sorted { $0.id < $1.id }
        return Control.StatusResult(
            version: Release.version, pid: getpid(), startedAt: startedAt, views: listViews(name),
            hosts: hosts.compactMap { host in
                guard let pid = host.pid else { return nil }
                let role: String =
                    switch machine.role(of: host.id) {
                    case .active: "active"
                    case .standby: "standby"
                    case .curtain: "curtain"
                    case nil: "stopping"
                    }
                return Control.Host(
                    pid: pid, pool: host.pool, renderer: host.renderer, role: host.isGreeted ? role : "starting",
                    warmSlots: host.warm.count, boundSlots: host.bound.count, networkPID: host.networkPID,
                    helperPIDs: host.helperPIDs)
            })
    }

    // MARK: - Changing

    private func open(_ parameters: Control.OpenParameters) throws {
        let name = parameters.view
        if let problem = ConfigurationName.problem(with: name) {
            throw CallFailure(
                code: .invalidArgument, message: "'\(name)' is no name for a view: \(problem)",
                remedy: "use 1 to 64 letters, digits, '.', '_' or '-'")
        }
        guard views[name] == nil else {
            throw CallFailure(
                code: .viewExists, message: "there is a view '\(name)' already",
                remedy: "load another page in it (relightctl load \(name) URL), or choose another name")
        }
        let pool = parameters.pool ?? "default"
        guard pools[pool] != nil else {
            throw CallFailure(
                code: .poolNotFound, message: "there is no pool '\(pool)'",
                remedy: "there are: \(pools.keys.sorted().joined(separator: ", "))")
        }
        guard views.count < configuration.daemon.maximumViews else {
            throw CallFailure(
                code: .limitReached, message: "there are \(views.count) views, as many as MaximumViews= allows",
                remedy: "close one, or raise MaximumViews= in relight.conf")
        }
        try checkURL(parameters.url)
        openView(name, ViewSettings(url: parameters.url, pool: pool), isConfigured: false)
    }

    private func checkURL(_ url: String) throws {
        guard let problem = PageURL.problem(with: url) else { return }
        throw CallFailure(
            code: .invalidArgument, message: "'\(url.prefix(200))' cannot be shown: \(problem)",
            remedy: "give an http, https, file or about URL")
    }

    private func close(_ name: String) async throws {
        _ = try view(name)
        post(.closeView(name))
        await forget(name)
    }

    private func load(_ parameters: Control.LoadParameters) throws {
        try checkURL(parameters.url)
        _ = try view(parameters.view)
        views[parameters.view]?.wantedURL = parameters.url
        views[parameters.view]?.pageState = nil
        if let (host, slot) = try? place(of: parameters.view) {
            send(.navigate(.init(slot: slot, action: .load, url: parameters.url)), to: host.id)
        } else {
            // It has no renderer: it gets the new page as soon as it has one.
            post(.retryView(parameters.view))
        }
    }

    private func reload(_ name: String) throws {
        if try view(name).state == .quarantined { return post(.retryView(name)) }
        let (host, slot) = try place(of: name)
        send(.navigate(.init(slot: slot, action: .reload)), to: host.id)
    }

    private func kill(_ parameters: Control.KillParameters) throws -> Control.KillResult {
        let (host, slot) = try place(of: parameters.view)
        let signal = parameters.signal ?? SIGKILL
        guard (1...64).contains(signal) else {
            throw CallFailure(code: .invalidArgument, message: "there is no signal \(signal)", remedy: "give 1 to 64")
        }
        let pid: Int32? =
            switch parameters.target {
            case .content: host.contentPIDs[slot]
            case .host: host.pid
            case .network: host.networkPID
            }
        guard let pid, let entry = ProcessTable.entry(pid) else {
            throw CallFailure(
                code: .notReady,
                message: "the \(host.renderer) host of view '\(parameters.view)' has no "
                    + "\(parameters.target.rawValue) process that could be killed",
                remedy: "see relightctl status \(parameters.view)")
        }
        log(
            "drill: signal \(signal) to \(parameters.target.rawValue) process \(pid) (\(entry.name)) of view "
                + parameters.view, .notice, view: parameters.view)
        guard Glibc.kill(pid, signal) == 0 else {
            throw CallFailure(
                code: .hostFailed, message: SystemError.text(of: errno), remedy: "see relightctl status")
        }
        return Control.KillResult(pid: pid)
    }

    // MARK: - Asking the host

    private func snapshot(_ name: String) async throws -> Control.SnapshotResult {
        let (host, slot) = try place(of: name)
        _ = try await value(of: ask(host.id, seconds: 10) { .capture(.init(id: $0, slot: slot)) })
        await flushStates()
        let pool = host.pool
        await cookiesWritten(of: pool)
        return Control.SnapshotResult(
            cookies: pools[pool]?.storedCookies.count ?? 0, snapshotAt: views[name]?.savedAt)
    }

    private func screenshot(_ name: String) async throws -> Control.ScreenshotResult {
        let (host, slot) = try place(of: name)
        let answer = await ask(host.id, seconds: 15) { .screenshot(.init(id: $0, slot: slot)) }
        let (_, memory) = try value(of: answer)
        guard let memory else {
            throw CallFailure(
                code: .hostFailed, message: "the host sent no picture", remedy: "try again; see the journal")
        }
        let bytes = try SharedMemory.read(memory, limit: 32 << 20)
        return Control.ScreenshotResult(png: Data(bytes).base64EncodedString())
    }

    private func evaluate(_ parameters: JSONValue) async throws -> Control.EvaluateResult {
        let parameters = try parameters.decoded(as: Control.EvaluateParameters.self)
        let (host, slot) = try place(of: parameters.view)
        let answer = await ask(host.id, seconds: 15) {
            .evaluate(.init(id: $0, slot: slot, script: parameters.script))
        }
        return Control.EvaluateResult(value: try value(of: answer).0 ?? .null)
    }

    private func value(of answer: HostAnswer) throws -> (JSONValue?, FileDescriptor?) {
        switch answer {
        case .reply(let reply, let descriptor):
            if let error = reply.error {
                throw CallFailure(code: .hostFailed, message: error, remedy: "see the journal of relightd")
            }
            return (reply.value, descriptor)
        case .hostGone:
            throw CallFailure(code: .notReady, message: "the host died meanwhile", remedy: "try again in a second")
        case .timedOut:
            throw CallFailure(
                code: .hostFailed, message: "the page did not answer in time",
                remedy: "it may hang; see relightctl status, or reload it")
        }
    }
}
