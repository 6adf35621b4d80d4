// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import EventLoop
import Platform
import Supervision
import Wire

/// Questions to hosts: each has a number, a deadline, and exactly one answer.
extension Daemon {
    /// Asks a host and waits for its answer, for so many seconds at most.
    func ask(_ id: HostID, seconds: UInt64, _ message: (RequestID) -> SupervisorMessage) async -> HostAnswer {
        lastRequest += 1
        let number = lastRequest
        let message = message(number)
        return await withCheckedContinuation { continuation in
            guard hosts[id]?.connection != nil else { return continuation.resume(returning: .hostGone) }
            requests[number] = PendingRequest(
                host: id, deadline: loop.now + seconds * 1_000_000, continuation: continuation)
            send(message, to: id)
            armRequestTimer()
        }
    }

    func answer(_ reply: HostMessage.Reply, _ descriptor: FileDescriptor?, from host: HostID) {
        // The answer to something that is no longer asked for, or was asked of another host.
        guard requests[reply.id]?.host == host, let request = requests.removeValue(forKey: reply.id) else { return }
        request.continuation.resume(returning: .reply(reply, descriptor))
    }

    func failRequests(to host: HostID) {
        for (number, request) in requests where request.host == host {
            requests[number] = nil
            request.continuation.resume(returning: .hostGone)
        }
    }

    func expireRequests() {
        let now = loop.now
        for (number, request) in requests where request.deadline <= now {
            requests[number] = nil
            request.continuation.resume(returning: .timedOut)
        }
        armRequestTimer()
    }

    private func armRequestTimer() {
        guard let earliest = requests.values.map(\.deadline).min() else { return }
        attempt("set the request timer") { try requestTimer?.set(at: earliest) }
    }
}
