// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import EventLoop
package import Systemd
import Configuration
import Cookies
import Glibc
import Platform
import Snapshots
import Supervision
import Wire

/// relightd: runs the machines of Supervision on one event loop, performs their actions, and turns the world into
/// their events. All state is confined to the loop's thread.
package actor Daemon {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let options: Options
    let environment: [String: String]
    let journal: JournalWriter
    let notifier = Notifier()
    let startedAt = WallClock.now

    var machine: Supervisor
    var configuration = Configuration()
    var views: [String: ViewRecord] = [:]
    var pools: [String: PoolRecord] = [:]
    var hosts: [HostID: RunningHost] = [:]
    var displays: [String: PrivateDisplay] = [:]
    var incidents = IncidentLog()
    /// Hosts whose turn to be started has not come.
    var waitingStarts: [(host: HostID, body: (isolated Daemon) -> Void)] = []
    var requests: [RequestID: PendingRequest] = [:]
    var lastRequest: RequestID = 0

    var store: SnapshotStore?
    /// What the store held when it was opened, for pools and views that are opened later.
    var storedCookies: [String: [Cookie]] = [:]
    var storedViews: [String: StoredView] = [:]
    var incidentCounts: [String: Int] = [:]
    var isFlushing = false
    var isStoreTimerSet = false
    var cookieWaiters: [String: [CheckedContinuation<Void, Never>]] = [:]
    var stateDirectory = ""
    var runtimeDirectory = ""
    /// The delegated cgroup, if there is one.
    var controlGroup: String?
    var standardError: FileDescriptor?
    var runtimeLock: FileDescriptor?
    var control: ControlServer?

    var sources: [AnyObject] = []
    var machineTimer: Timer?
    var requestTimer: Timer?
    var storeTimer: Timer?
    /// What `after` holds until its time.
    var delayed: [UInt64: (timer: Timer, body: (isolated Daemon) -> Void)] = [:]
    var lastDelayed: UInt64 = 0
    private var queue: [Event] = []
    private var isPumping = false
    /// False until the store is read and the configuration applied.
    var isStarted = false
    /// A reload was asked for before that.
    var isReloadDue = false
    var isStopping = false
    var isOutOfStore = false
    private var statusText = ""
    /// Set by whatever changes a view's state.
    var isStatusOld = true

    package init(options: Options, environment: [String: String], journal: JournalWriter, loop: EventLoop) {
        self.options = options
        self.environment = environment
        self.journal = journal
        self.loop = loop
        var generator = SystemRandomNumberGenerator()
        machine = Supervisor(seed: generator.next())
    }

    var now: Instant { Instant(microseconds: loop.now) }

    // MARK: - The machine

    /// Gives the machine an event, and performs what it answers, and so on until nothing is left to do.
    func post(_ event: Event) {
        queue.append(event)
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while !queue.isEmpty {
            let event = queue.removeFirst()
            for action in machine.receive(event, at: now) { perform(action) }
        }
        armMachineTimer()
        updateStatus()
    }

    private func armMachineTimer() {
        guard let deadline = machine.nextDeadline else {
            machineTimer?.disarm()
            return
        }
        attempt("set the supervisor's timer") { try machineTimer?.set(at: deadline.microseconds) }
    }

    /// Runs something whose failure changes nothing but must be known.
    func attempt(_ what: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            log("cannot \(what): \(error); ignoring", .warning)
        }
    }

    func log(
        _ message: String, _ priority: JournalPriority = .info, _ id: MessageID? = nil,
        view: String? = nil, pool: String? = nil, host: HostID? = nil, _ fields: [(name: String, value: String)] = []
    ) {
        guard priority <= threshold else { return }
        var all: [(name: String, value: String)] = []
        if let view { all.append(("RELIGHT_VIEW", view)) }
        let pool = pool ?? view.flatMap { views[$0]?.pool } ?? host.flatMap { hosts[$0]?.pool }
        if let pool { all.append(("RELIGHT_POOL", pool)) }
        if let host, let pid = hosts[host]?.pid { all.append(("RELIGHT_HOST_PID", "\(pid)")) }
        journal.write(JournalEntry(message, priority: priority, id: id, fields: all + fields))
    }

    private var threshold: JournalPriority {
        switch configuration.daemon.logLevel {
        case .error: .error
        case .warning: .warning
        case .notice: .notice
        case .info: .info
        case .debug: .debug
        }
    }

    /// The line that `systemctl status` shows.
    private func updateStatus() {
        guard isStatusOld, notifier.isActive, !isStopping else { return }
        isStatusOld = false
        let count = { (state: Control.ViewState) in self.views.values.count { $0.state == state } }
        var text = "\(count(.ready)) of \(views.count) views ready"
        if count(.recovering) > 0 { text += ", \(count(.recovering)) recovering" }
        if count(.quarantined) > 0 { text += ", \(count(.quarantined)) in quarantine" }
        guard text != statusText else { return }
        statusText = text
        attempt("tell the service manager the status") { try notifier.status(text) }
    }
}
