// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import EventLoop
import Configuration
import Cookies
import Platform
import Snapshots
import Supervision
import Systemd
import Wire

/// Cookies and page state on their way to disk.
///
/// What is written is always the difference between what is wanted and what is on disk, so a write that failed needs no
/// queue: it is made again from newer facts. A host's report is acknowledged when the disk has it.
extension Daemon {
    /// How long to wait after a failed write, in microseconds.
    private static let retryInterval: UInt64 = 1_000_000

    func openStore() async {
        do {
            let (store, notices) = try SnapshotStore.open(directory: stateDirectory)
            let stored = try await store.load()
            for notice in notices + stored.notices {
                log(notice.description, .error, .snapshotStoreSetAside)
            }
            self.store = store
            for (name, cookies) in stored.cookies {
                storedCookies[name] = cookies
            }
            storedViews = stored.views
            incidentCounts = stored.incidentCounts
            incidents.restore(try await store.incidents())
        } catch {
            log(
                "\(error). relightd goes on without: cookies and page state are kept in memory only, and are written "
                    + "as soon as they can be", .critical, .snapshotStoreFailed)
            after(microseconds: Self.retryInterval * 10) { daemon in
                Task { await daemon.reopenStore() }
            }
        }
    }

    private func reopenStore() async {
        guard store == nil, !isStopping else { return }
        await openStore()
        guard store != nil else { return }
        log("the snapshot store can be used again", .notice)
        // What is on disk by now is older than what the hosts have reported since.
        for (name, pool) in pools {
            let known = storedCookies[name] ?? []
            pools[name]?.storedCookies = known
            pools[name]?.cookies = CookieChanges(set: pool.cookies).applied(to: known)
            markDirty(name)
        }
        armStoreTimer()
    }

    // MARK: - Cookies

    func receive(_ report: HostMessage.CookieReport, from host: RunningHost) {
        guard let pool = pools[host.pool] else { return }
        pools[host.pool]?.cookies = report.changes.applied(to: pool.cookies)
        pools[host.pool]?.unacknowledged[host.id] = report.sequence
        markDirty(host.pool)
    }

    /// Puts all cookies of the pool into an engine that lost them.
    func restoreCookies(to host: RunningHost) {
        guard let cookies = pools[host.pool]?.cookies, !cookies.isEmpty else { return }
        lastRequest += 1
        send(.setCookies(.init(id: lastRequest, changes: CookieChanges(set: cookies))), to: host.id)
        log("put \(cookies.count) cookies back into \(name(of: host.id))", .info, .cookiesRestored, pool: host.pool)
    }

    func markDirty(_ pool: String) {
        pools[pool]?.isDirty = true
        guard store != nil, pools[pool]?.isWriting == false else { return }
        pools[pool]?.isWriting = true
        Task { await writeCookies(of: pool) }
    }

    private func writeCookies(of name: String) async {
        while let store, let pool = pools[name], pool.isDirty {
            pools[name]?.isDirty = false
            let changes = CookieChanges.between(old: pool.storedCookies, new: pool.cookies)
            do {
                try await store.apply(changes, pool: name)
                storeWorks()
            } catch {
                storeFailed(error)
                pools[name]?.isDirty = true
                writerEnds(name)
                after(microseconds: Self.retryInterval) { $0.markDirty(name) }
                return
            }
            pools[name]?.storedCookies = pool.cookies
            for (host, sequence) in pool.unacknowledged {
                if pools[name]?.unacknowledged[host] == sequence { pools[name]?.unacknowledged[host] = nil }
                send(.cookiesStored(sequence: sequence), to: host)
            }
            if !changes.isEmpty {
                publish("cookiesStored", pool: name, "\(changes.set.count) set, \(changes.deleted.count) deleted")
            }
        }
        writerEnds(name)
    }

    private func writerEnds(_ pool: String) {
        pools[pool]?.isWriting = false
        for waiter in cookieWaiters.removeValue(forKey: pool) ?? [] { waiter.resume() }
    }

    /// Returns when all that hosts reported so far is on disk, or could not be written.
    func cookiesWritten(of pool: String) async {
        guard pools[pool]?.isWriting == true else { return }
        await withCheckedContinuation { cookieWaiters[pool, default: []].append($0) }
    }

    // MARK: - Page state

    /// Page state is written at most once in half of SnapshotInterval=, so that what comes back is never older than it.
    func armStoreTimer() {
        guard store != nil, !isFlushing, !isStoreTimerSet else { return }
        isStoreTimerSet = true
        let interval = UInt64(clamping: configuration.daemon.snapshotInterval.microseconds / 2)
        attempt("set the snapshot timer") { try storeTimer?.set(at: loop.now + interval) }
    }

    func flushStates() async {
        isStoreTimerSet = false
        guard let store, !isFlushing else { return }
        isFlushing = true
        defer { isFlushing = false }
        for view in views.values where view.isStateDirty {
            guard let state = view.pageState else { continue }
            views[view.name]?.isStateDirty = false
            let savedAt = WallClock.now
            do {
                try await store.save(
                    view: view.name, pool: view.pool, wanted: view.wantedURL, state: state, at: savedAt)
                storeWorks()
            } catch {
                storeFailed(error)
                views[view.name]?.isStateDirty = true
                after(microseconds: Self.retryInterval) { $0.armStoreTimer() }
                return
            }
            if views[view.name] == nil {
                // Closed while its state was on its way.
                await forget(view.name)
            } else {
                views[view.name]?.savedAt = savedAt
                publish("pageStateStored", view: view.name, "page state stored")
            }
        }
        if views.values.contains(where: \.isStateDirty) {
            isFlushing = false
            armStoreTimer()
        }
    }

    /// Takes a closed view's page state off the disk.
    func forget(_ view: String) async {
        storedViews[view] = nil
        do {
            try await store?.remove(view: view)
        } catch {
            storeFailed(error)
        }
    }

    func saveIncident(_ incident: Control.Incident) {
        guard let store else { return }
        Task {
            do {
                try await store.record(incident: incident)
            } catch {
                storeFailed(error)
            }
        }
    }

    // MARK: - Trouble

    /// Said once, until it works again: a full disk must not fill the journal too.
    private func storeFailed(_ error: any Error) {
        guard !isOutOfStore else { return }
        isOutOfStore = true
        log(
            "\(error). Nothing is lost while relightd runs: cookies and page state are kept in memory and written when "
                + "it works again", .critical, .snapshotStoreFailed)
    }

    private func storeWorks() {
        guard isOutOfStore else { return }
        isOutOfStore = false
        log("the snapshot store works again; everything kept in memory is being written", .notice)
    }
}
