// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Transport
import Configuration
import Cookies
import Platform
import Supervision
import Wire

/// What the daemon knows of a view beside the machine: addresses, state to restore, and what people ask about.
struct ViewRecord {
    let name: String
    var settings: ViewSettings
    /// True if a view file says so; a view opened by hand lasts until it is closed.
    var isConfigured: Bool
    /// What the user wants to see; changed by `load`.
    var wantedURL: String
    /// What it shows.
    var url: String
    var title = ""
    var state = Control.ViewState.starting
    /// Microseconds since 1970.
    var since: UInt64
    var place: (host: HostID, slot: Int)?
    var pageState: PageState?
    /// Microseconds since 1970 of the state that is on disk.
    var savedAt: UInt64?
    var isStateDirty = false
    var incidents = 0
    var picture: (description: HostMessage.Picture, memory: FileDescriptor)?

    var pool: String { settings.pool }
}

/// A pool's cookies and settings.
struct PoolRecord {
    var settings: PoolSettings
    var generation = 0
    /// Cookies as the hosts reported them.
    var cookies: [Cookie] = []
    /// Cookies as they are on disk.
    var storedCookies: [Cookie] = []
    /// The highest report of each host that is in `cookies` and not yet on disk.
    var unacknowledged: [HostID: UInt64] = [:]
    var isWriting = false
    var isDirty = false
    var hasStarted = false
}

/// One host process.
final class RunningHost {
    let id: HostID
    let pool: String
    var role: HostRole
    let renderer: String
    var process: ChildProcess?
    var group: ControlGroup?
    var connection: FramedConnection?
    /// Registrations with the loop; they keep their handlers alive.
    var sources: [AnyObject] = []
    var isGreeted = false
    let warmSlots: Int
    var networkPID: Int32?
    var helperPIDs: [Int32] = []
    var contentPIDs: [Int: Int32] = [:]
    var warm: Set<Int> = []
    var bound: Set<Int> = []

    init(id: HostID, pool: String, role: HostRole, renderer: String, warmSlots: Int) {
        self.id = id
        self.pool = pool
        self.role = role
        self.renderer = renderer
        self.warmSlots = warmSlots
    }

    var pid: Int32? { process?.pid }
}

/// A question to a host that is not answered yet.
struct PendingRequest {
    let host: HostID
    let deadline: UInt64
    let continuation: CheckedContinuation<HostAnswer, Never>
}

/// What came of a question to a host.
enum HostAnswer: Sendable {
    case reply(HostMessage.Reply, FileDescriptor?)
    case hostGone
    case timedOut
}
