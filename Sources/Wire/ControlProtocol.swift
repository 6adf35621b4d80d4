// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Cookies

/// The control protocol: the Varlink interface `io.relight` on relightd's control socket.
package enum Control {
    package static let interface = "io.relight"
    /// The socket's name in the runtime directory.
    package static let socketName = "io.relight"

    /// The methods; the raw value follows the interface's name.
    package enum Method: String, Sendable, CaseIterable {
        case list = "List"
        case status = "Status"
        case open = "Open"
        case close = "Close"
        case load = "Load"
        case reload = "Reload"
        case snapshot = "Snapshot"
        case screenshot = "Screenshot"
        case evaluate = "Evaluate"
        case listCookies = "ListCookies"
        case kill = "Kill"
        case incidents = "Incidents"
        case events = "Events"

        package var qualified: String { "\(Control.interface).\(rawValue)" }
    }

    package enum Failure: String, Sendable, CaseIterable {
        case viewNotFound = "ViewNotFound"
        case viewExists = "ViewExists"
        case poolNotFound = "PoolNotFound"
        case invalidArgument = "InvalidArgument"
        /// The view has no live renderer just now.
        case notReady = "NotReady"
        /// The host answered with an error, or not in time.
        case hostFailed = "HostFailed"
        case permissionDenied = "PermissionDenied"
        case limitReached = "LimitReached"

        package var qualified: String { "\(Control.interface).\(rawValue)" }
    }

    /// The parameters of every error of this interface.
    package struct FailureDetail: Sendable, Equatable, Codable {
        package var message: String
        /// What the caller can do about it.
        package var remedy: String
        package init(message: String, remedy: String) {
            self.message = message
            self.remedy = remedy
        }
    }

    package enum ViewState: String, Sendable, Codable {
        /// waiting for a slot or for its first paint
        case starting
        /// on screen and answering
        case ready
        /// an incident is open
        case recovering
        /// it kept failing; retried with backoff
        case quarantined
        case closing
    }

    package struct View: Sendable, Equatable, Codable {
        package var name: String
        package var pool: String
        package var state: ViewState
        package var url: String
        package var title: String
        package var renderer: String
        package var slot: Int?
        package var hostPID: Int32?
        package var contentPID: Int32?
        package var networkPID: Int32?
        package var incidents: Int
        /// Microseconds since 1970 at which the view came to its present state.
        package var since: UInt64
        /// Microseconds since 1970 of the newest page state on disk; nil if there is none.
        package var snapshotAt: UInt64?
        package var cookies: Int

        package init(
            name: String, pool: String, state: ViewState, url: String, title: String = "", renderer: String,
            slot: Int? = nil, hostPID: Int32? = nil, contentPID: Int32? = nil, networkPID: Int32? = nil,
            incidents: Int = 0, since: UInt64 = 0, snapshotAt: UInt64? = nil, cookies: Int = 0
        ) {
            self.name = name
            self.pool = pool
            self.state = state
            self.url = url
            self.title = title
            self.renderer = renderer
            self.slot = slot
            self.hostPID = hostPID
            self.contentPID = contentPID
            self.networkPID = networkPID
            self.incidents = incidents
            self.since = since
            self.snapshotAt = snapshotAt
            self.cookies = cookies
        }
    }

    package struct Host: Sendable, Equatable, Codable {
        package var pid: Int32
        package var pool: String
        package var renderer: String
        /// "starting", "active", "standby" or "stopping".
        package var role: String
        package var warmSlots: Int
        package var boundSlots: Int
        package var networkPID: Int32?
        package var helperPIDs: [Int32]
        package init(
            pid: Int32, pool: String, renderer: String, role: String, warmSlots: Int, boundSlots: Int,
            networkPID: Int32? = nil, helperPIDs: [Int32] = []
        ) {
            self.pid = pid
            self.pool = pool
            self.renderer = renderer
            self.role = role
            self.warmSlots = warmSlots
            self.boundSlots = boundSlots
            self.networkPID = networkPID
            self.helperPIDs = helperPIDs
        }
    }

    package struct Incident: Sendable, Equatable, Codable {
        package struct Mark: Sendable, Equatable, Codable {
            /// died, detected, slotBound, cookiesIn, stateIn, loadStarted, loadFinished, firstPaint, verified.
            package var step: String
            /// Microseconds after the incident's first sign.
            package var offset: Int64
            package var detail: String?
            package init(step: String, offset: Int64, detail: String? = nil) {
                self.step = step
                self.offset = offset
                self.detail = detail
            }
        }
        /// 32 hexadecimal digits.
        package var id: String
        package var view: String
        package var pool: String
        /// contentCrashed, hostExited, networkProcessLost, unresponsive, memory, spawnFailed, recoveryFailed.
        package var cause: String
        /// Microseconds since 1970.
        package var openedAt: UInt64
        /// nil while it is open.
        package var closedAt: UInt64?
        /// "recovered", "quarantined", "closed"; nil while it is open.
        package var outcome: String?
        /// Where the view came back: "sameHost", "standby" or "coldHost".
        package var path: String?
        package var hostPID: Int32?
        package var contentPID: Int32?
        /// How often a slot was tried.
        package var attempts: Int
        package var timeline: [Mark]

        package init(
            id: String, view: String, pool: String, cause: String, openedAt: UInt64, closedAt: UInt64? = nil,
            outcome: String? = nil, path: String? = nil, hostPID: Int32? = nil, contentPID: Int32? = nil,
            attempts: Int = 0, timeline: [Mark] = []
        ) {
            self.id = id
            self.view = view
            self.pool = pool
            self.cause = cause
            self.openedAt = openedAt
            self.closedAt = closedAt
            self.outcome = outcome
            self.path = path
            self.hostPID = hostPID
            self.contentPID = contentPID
            self.attempts = attempts
            self.timeline = timeline
        }
    }

    package struct Event: Sendable, Equatable, Codable {
        /// subscribed (the first one, at once: nothing is missed from here on), viewOpened, viewReady, viewClosed,
        /// incidentOpened, incidentClosed, viewQuarantined, hostStarted, hostReady, hostExited, cookiesStored,
        /// pageStateStored, navigated.
        package var kind: String
        /// Microseconds since 1970.
        package var at: UInt64
        package var view: String?
        package var pool: String?
        package var message: String
        package var incident: Incident?
        package init(
            kind: String, at: UInt64, view: String? = nil, pool: String? = nil, message: String,
            incident: Incident? = nil
        ) {
            self.kind = kind
            self.at = at
            self.view = view
            self.pool = pool
            self.message = message
            self.incident = incident
        }
    }

    // Parameters and results, one pair a method that has any.

    package struct ViewName: Sendable, Codable {
        package var view: String
        package init(view: String) { self.view = view }
    }
    package struct OptionalViewName: Sendable, Codable {
        package var view: String?
        package init(view: String? = nil) { self.view = view }
    }
    package struct OpenParameters: Sendable, Codable {
        package var view: String
        package var url: String
        package var pool: String?
        package init(view: String, url: String, pool: String? = nil) {
            self.view = view
            self.url = url
            self.pool = pool
        }
    }
    package struct LoadParameters: Sendable, Codable {
        package var view: String
        package var url: String
        package init(view: String, url: String) {
            self.view = view
            self.url = url
        }
    }
    package struct EvaluateParameters: Sendable, Codable {
        package var view: String
        package var script: String
        package init(view: String, script: String) {
            self.view = view
            self.script = script
        }
    }
    package struct KillParameters: Sendable, Codable {
        /// content, host, network
        package enum Target: String, Sendable, Codable, CaseIterable { case content, host, network }
        package var view: String
        package var target: Target
        /// A signal's number; SIGKILL if absent.
        package var signal: Int32?
        package init(view: String, target: Target, signal: Int32? = nil) {
            self.view = view
            self.target = target
            self.signal = signal
        }
    }
    package struct ListResult: Sendable, Codable {
        package var views: [View]
        package init(views: [View]) { self.views = views }
    }
    package struct StatusResult: Sendable, Codable {
        package var version: String
        package var pid: Int32
        /// Microseconds since 1970.
        package var startedAt: UInt64
        package var views: [View]
        package var hosts: [Host]
        package init(version: String, pid: Int32, startedAt: UInt64, views: [View], hosts: [Host]) {
            self.version = version
            self.pid = pid
            self.startedAt = startedAt
            self.views = views
            self.hosts = hosts
        }
    }
    package struct ScreenshotResult: Sendable, Codable {
        /// A PNG, base64.
        package var png: String
        package init(png: String) { self.png = png }
    }
    package struct EvaluateResult: Sendable, Codable {
        package var value: JSONValue
        package init(value: JSONValue) { self.value = value }
    }
    package struct CookiesResult: Sendable, Codable {
        /// What is on disk for the view's pool.
        package var cookies: [Cookie]
        package init(cookies: [Cookie]) { self.cookies = cookies }
    }
    package struct SnapshotResult: Sendable, Codable {
        package var cookies: Int
        /// Microseconds since 1970.
        package var snapshotAt: UInt64?
        package init(cookies: Int, snapshotAt: UInt64?) {
            self.cookies = cookies
            self.snapshotAt = snapshotAt
        }
    }
    package struct KillResult: Sendable, Codable {
        package var pid: Int32
        package init(pid: Int32) { self.pid = pid }
    }
    package struct IncidentsResult: Sendable, Codable {
        /// The newest first.
        package var incidents: [Incident]
        package init(incidents: [Incident]) { self.incidents = incidents }
    }
    package struct EventResult: Sendable, Codable {
        package var event: Event
        package init(event: Event) { self.event = event }
    }
}
