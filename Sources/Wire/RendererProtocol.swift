// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Cookies

/// The renderer protocol: what relightd and a host say to each other on the socket pair that the host inherits.
/// Docs/renderer-protocol.md is its reference; a change here is a change there.
package enum RendererProtocol {
    /// A host of another major version is refused.
    package static let version = 1
    /// The environment variable that holds the number of the inherited descriptor.
    package static let socketVariable = "RELIGHT_SOCKET_FD"
}

/// A message of either direction: a JSON object whose `type` says which one it is.
package protocol WireMessage: Codable, Sendable {
    /// How many descriptors travel with it.
    var descriptorCount: Int { get }
}

extension WireMessage {
    package func frame() throws(FrameError) -> [UInt8] { try JSON.encode(self) }

    package static func parse(_ frame: [UInt8]) throws(FrameError) -> Self { try JSON.decode(Self.self, from: frame) }
}

/// Asks for something by number; the answer is the `reply` with that number.
package typealias RequestID = UInt64

// MARK: - From a host to relightd

package enum HostMessage: WireMessage, Equatable {
    /// The first message of a host.
    case hello(Hello)
    /// A slot is warm: it can be bound at once.
    case slotReady(SlotReady)
    /// A slot is of no more use; a view bound to it needs another one.
    case slotLost(SlotLost)
    /// The host's processes, whenever they change.
    case processes(Processes)
    /// The engine's network process died and with it the engine's cookies.
    case networkLost(NetworkLost)
    case navigation(Navigation)
    /// A step of bringing a view into a slot was done.
    case progress(Progress)
    /// Cookies changed in the engine. Acknowledged with `cookiesStored` once they are on disk.
    case cookies(CookieReport)
    case pageState(PageStateReport)
    /// The last good frame; one descriptor: a sealed memfd of `stride` x `height` bytes.
    case picture(Picture)
    /// The answer to `ping`.
    case pong(Pong)
    /// The answer to a request; `descriptorCount` is 1 if it carries a memfd.
    case reply(Reply)
    /// A line for the journal.
    case log(Log)

    package struct Hello: Sendable, Equatable, Codable {
        package var protocolVersion: Int
        package var renderer: String
        package var version: String
        package var pid: Int32
        package init(protocolVersion: Int = RendererProtocol.version, renderer: String, version: String, pid: Int32) {
            self.protocolVersion = protocolVersion
            self.renderer = renderer
            self.version = version
            self.pid = pid
        }
    }

    package struct SlotReady: Sendable, Equatable, Codable {
        package var slot: Int
        /// The content process behind it, if known yet.
        package var contentPID: Int32?
        package init(slot: Int, contentPID: Int32? = nil) {
            self.slot = slot
            self.contentPID = contentPID
        }
    }

    package enum LossReason: String, Sendable, Codable {
        /// the content process died
        case crashed
        /// the engine ended it for its memory use
        case exceededMemory
        /// the engine or relightd ended it on purpose
        case terminated
        /// it lives but does not answer
        case unresponsive
        /// it was released or could not be made
        case closed
    }

    package struct SlotLost: Sendable, Equatable, Codable {
        package var slot: Int
        package var reason: LossReason
        package var contentPID: Int32?
        /// CLOCK_MONOTONIC microseconds at which the host saw it.
        package var detectedAt: UInt64
        package init(slot: Int, reason: LossReason, contentPID: Int32? = nil, detectedAt: UInt64) {
            self.slot = slot
            self.reason = reason
            self.contentPID = contentPID
            self.detectedAt = detectedAt
        }
    }

    package struct Processes: Sendable, Equatable, Codable {
        package struct Content: Sendable, Equatable, Codable {
            package var slot: Int
            package var pid: Int32
            package init(slot: Int, pid: Int32) {
                self.slot = slot
                self.pid = pid
            }
        }
        package var networkPID: Int32?
        package var content: [Content]
        /// Sandbox helpers and the like.
        package var helperPIDs: [Int32]
        package init(networkPID: Int32? = nil, content: [Content] = [], helperPIDs: [Int32] = []) {
            self.networkPID = networkPID
            self.content = content
            self.helperPIDs = helperPIDs
        }
    }

    package struct NetworkLost: Sendable, Equatable, Codable {
        package var pid: Int32
        package var detectedAt: UInt64
        package init(pid: Int32, detectedAt: UInt64) {
            self.pid = pid
            self.detectedAt = detectedAt
        }
    }

    package struct Navigation: Sendable, Equatable, Codable {
        package enum Phase: String, Sendable, Codable {
            case started, redirected, committed, finished, failed, changed
        }
        package var slot: Int
        package var phase: Phase
        package var url: String
        package var title: String
        /// HTTP status of the main resource, once known.
        package var status: Int?
        package var error: String?
        package init(
            slot: Int, phase: Phase, url: String, title: String = "", status: Int? = nil, error: String? = nil
        ) {
            self.slot = slot
            self.phase = phase
            self.url = url
            self.title = title
            self.status = status
            self.error = error
        }
    }

    /// The steps of a bind, in the order in which they happen.
    package enum Step: String, Sendable, Codable, CaseIterable {
        case cookiesIn, stateIn, loadStarted, loadFinished, firstPaint
        /// the page is at the wanted URL, answers, and shows what was restored
        case verified
        /// the bind came to nothing; `detail` says why
        case failed
    }

    package struct Progress: Sendable, Equatable, Codable {
        package var slot: Int
        /// The number that the `bind` gave, so that a late report of an earlier bind is not taken for this one's.
        package var bind: UInt64
        package var step: Step
        /// CLOCK_MONOTONIC microseconds.
        package var at: UInt64
        package var detail: String?
        package init(slot: Int, bind: UInt64, step: Step, at: UInt64, detail: String? = nil) {
            self.slot = slot
            self.bind = bind
            self.step = step
            self.at = at
            self.detail = detail
        }
    }

    package struct CookieReport: Sendable, Equatable, Codable {
        /// Counts up from 1 in each host.
        package var sequence: UInt64
        package var changes: CookieChanges
        package init(sequence: UInt64, changes: CookieChanges) {
            self.sequence = sequence
            self.changes = changes
        }
    }

    package struct PageStateReport: Sendable, Equatable, Codable {
        package var slot: Int
        package var state: PageState
        package init(slot: Int, state: PageState) {
            self.slot = slot
            self.state = state
        }
    }

    package struct Picture: Sendable, Equatable, Codable {
        package var slot: Int
        package var width: Int
        package var height: Int
        /// Bytes from one row to the next.
        package var stride: Int
        /// Always "bgra8-premultiplied" (GDK_MEMORY_B8G8R8A8_PREMULTIPLIED) in version 1.
        package var format: String
        package static let format = "bgra8-premultiplied"
        package init(slot: Int, width: Int, height: Int, stride: Int) {
            self.slot = slot
            self.width = width
            self.height = height
            self.stride = stride
            self.format = Picture.format
        }
    }

    package struct Pong: Sendable, Equatable, Codable {
        package struct SlotPulse: Sendable, Equatable, Codable {
            package var slot: Int
            /// How long ago, in microseconds, the page's main thread last answered the host's own probe.
            package var silence: UInt64
            package init(slot: Int, silence: UInt64) {
                self.slot = slot
                self.silence = silence
            }
        }
        package var sequence: UInt64
        package var slots: [SlotPulse]
        package init(sequence: UInt64, slots: [SlotPulse] = []) {
            self.sequence = sequence
            self.slots = slots
        }
    }

    package struct Reply: Sendable, Equatable, Codable {
        package var id: RequestID
        package var value: JSONValue?
        /// Why it failed, for a person; nil if it did not.
        package var error: String?
        /// True if a memfd with the result (a PNG, say) travels with it.
        package var hasDescriptor: Bool
        package init(id: RequestID, value: JSONValue? = nil, error: String? = nil, hasDescriptor: Bool = false) {
            self.id = id
            self.value = value
            self.error = error
            self.hasDescriptor = hasDescriptor
        }
    }

    package struct Log: Sendable, Equatable, Codable {
        /// syslog(3) priority, 0 to 7.
        package var priority: Int
        package var text: String
        package init(priority: Int, text: String) {
            self.priority = priority
            self.text = text
        }
    }
}

// MARK: - From relightd to a host

package enum SupervisorMessage: WireMessage, Equatable {
    /// The answer to `hello`: what to be.
    case welcome(Welcome)
    /// Puts cookies into the engine's store. Answered by `reply`.
    case setCookies(SetCookies)
    /// Cookies up to this sequence number are on disk.
    case cookiesStored(sequence: UInt64)
    /// Keep so many warm slots besides the bound ones.
    case warm(count: Int)
    /// Shows a view in a slot; reported step by step with `progress`.
    case bind(Bind)
    /// The slot's view is closed, or it moved elsewhere; the slot is thrown away.
    case release(slot: Int)
    case navigate(Navigate)
    case evaluate(Evaluate)
    /// A PNG of what the view shows. Answered by `reply` with a descriptor.
    case screenshot(Request)
    /// Reports page state and cookies now. Answered by `reply` after both were sent.
    case capture(Request)
    case ping(sequence: UInt64)
    /// Curtain only: shows the last good frame of its view; one descriptor.
    case curtain(HostMessage.Picture)
    /// Ends the host in an orderly way.
    case stop

    package struct Welcome: Sendable, Equatable, Codable {
        package var pool: String
        /// Directories of the pool, made by relightd, shared with its standby host.
        package var dataDirectory: String
        package var cacheDirectory: String
        package var warmSlots: Int
        /// A standby must not touch the pool's storage until a view is bound.
        package var isStandby: Bool
        /// The pool's cookies, put in before any page loads.
        package var cookies: [Cookie]
        /// The size of a window where nothing else decides it; 0 for the display's own.
        package var width: Int
        package var height: Int
        package init(
            pool: String, dataDirectory: String, cacheDirectory: String, warmSlots: Int, isStandby: Bool,
            cookies: [Cookie], width: Int = 0, height: Int = 0
        ) {
            self.pool = pool
            self.dataDirectory = dataDirectory
            self.cacheDirectory = cacheDirectory
            self.warmSlots = warmSlots
            self.isStandby = isStandby
            self.cookies = cookies
            self.width = width
            self.height = height
        }
    }

    package struct SetCookies: Sendable, Equatable, Codable {
        package var id: RequestID
        package var changes: CookieChanges
        package init(id: RequestID, changes: CookieChanges) {
            self.id = id
            self.changes = changes
        }
    }

    package struct Bind: Sendable, Equatable, Codable {
        /// Names this bind in `progress`; never used twice by one relightd.
        package var bind: UInt64
        package var slot: Int
        package var view: String
        package var url: String
        /// nil for a view without a past.
        package var state: PageState?
        /// Cookies that the engine must hold before the first request leaves; nil if the engine has them all.
        package var cookies: [Cookie]?
        package var fullscreen: Bool
        /// The output to show it on (connector name), nil for the first.
        package var output: String?
        package init(
            bind: UInt64, slot: Int, view: String, url: String, state: PageState? = nil, cookies: [Cookie]? = nil,
            fullscreen: Bool = true, output: String? = nil
        ) {
            self.bind = bind
            self.slot = slot
            self.view = view
            self.url = url
            self.state = state
            self.cookies = cookies
            self.fullscreen = fullscreen
            self.output = output
        }
    }

    package struct Navigate: Sendable, Equatable, Codable {
        package enum Action: String, Sendable, Codable { case load, reload, reloadBypassingCache, stop, back, forward }
        package var slot: Int
        package var action: Action
        package var url: String?
        package init(slot: Int, action: Action, url: String? = nil) {
            self.slot = slot
            self.action = action
            self.url = url
        }
    }

    package struct Evaluate: Sendable, Equatable, Codable {
        package var id: RequestID
        package var slot: Int
        package var script: String
        package init(id: RequestID, slot: Int, script: String) {
            self.id = id
            self.slot = slot
            self.script = script
        }
    }

    package struct Request: Sendable, Equatable, Codable {
        package var id: RequestID
        package var slot: Int
        package init(id: RequestID, slot: Int) {
            self.id = id
            self.slot = slot
        }
    }
}
