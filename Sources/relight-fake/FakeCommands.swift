// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import HostKit
import Platform
import Wire
import Glibc

/// What can be asked for by `evaluate` while it runs.
extension FakeHost {
    func evaluate(_ request: SupervisorMessage.Evaluate) {
        guard let page = slots[request.slot]?.payload, slots.bind(of: request.slot) != nil else {
            return reply(.init(id: request.id, error: "slot \(request.slot) shows no view"))
        }
        if page.silentSince != nil { return }
        let answer = { [unowned self] (value: JSONValue) in reply(.init(id: request.id, value: value)) }
        let words = request.script.split(separator: " ").map(String.init)
        let rest = words.dropFirst(2).joined(separator: " ")
        switch (words.first ?? "", words.dropFirst().first ?? "") {
        case ("document.title", _): answer(.string(page.state.title))
        case ("document.location.href", _): answer(.string(page.state.url))
        case ("document.cookie", _): answer(.string(cookieText))
        case ("state", _): answer(stateValue(page))
        case ("stored", _): answer(.integer(Int64(clamping: stored)))
        case ("pid", _): answer(.integer(Int64(getpid())))

        case ("crash", "slot"):
            answer(.null)
            if let content = page.content { content.kill() } else { lose(request.slot, .crashed) }
        case ("memory", "slot"):
            answer(.null)
            lose(request.slot, .exceededMemory)
        case ("close", "slot"):
            answer(.null)
            lose(request.slot, .closed)
        case ("die", _): kill(getpid(), SIGKILL)
        case ("exit", let status): exit(Int32(status) ?? 0)
        case ("stop", "answering"):
            answer(.null)
            hang()
        case ("hang", "page"):
            answer(.null)
            page.silentSince = MonotonicClock.microseconds()
        case ("network", "lost"):
            answer(.null)
            if let network { network.kill() } else { networkEnded(getpid()) }

        case ("set", "cookie"):
            let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let host = RequestURL(page.state.url)?.host ?? "fake.test"
            let cookie = Cookie(name: parts.first ?? "", value: parts.last ?? "", domain: host)
            change(CookieChanges(set: [cookie]))
            answer(.integer(Int64(clamping: cookies.unacknowledged.last?.sequence ?? 0)))
        case ("delete", "cookie"):
            change(CookieChanges(deleted: cookies.known.filter { $0.name == rest }.map(\.identity)))
            answer(.integer(Int64(clamping: cookies.unacknowledged.last?.sequence ?? 0)))
        case ("scroll", let y):
            page.frame.scrollY = Double(y) ?? 0
            reportState(request.slot)
            answer(.null)
        case ("type", let selector):
            page.frame.fields.removeAll { $0.selector == selector }
            page.frame.fields.append(FormField(selector: selector, kind: .value, value: rest))
            reportState(request.slot)
            answer(.null)
        case ("navigate", let url):
            navigate(.init(slot: request.slot, action: .load, url: url))
            answer(.null)
        case ("log", let priority):
            channel.log(Int(priority) ?? 6, rest)
            answer(.null)
        case ("leak", let megabytes):
            leak(Int(megabytes) ?? 1)
            answer(.null)
        case ("picture", _): answerResult(request.id) { try sendPicture(request.slot) }
        case ("leave", "child"): answerResult(request.id) { helpers.append(try Leftover.start(escapes: false)) }
        case ("send", "garbage"): sendGarbage()
        case ("send", "huge"): sendHuge()
        case ("send", "unknown"): sendUnknown()
        default: reply(.init(id: request.id, error: "the fake host does not understand '\(request.script)'"))
        }
    }

    private func answerResult(_ id: RequestID, _ body: () throws -> Void) {
        do {
            try body()
            reportProcesses()
            reply(.init(id: id, value: .null))
        } catch {
            reply(.init(id: id, error: "\(error)"))
        }
    }

    private var cookieText: String {
        cookies.known.filter { !$0.isHTTPOnly }.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    private func stateValue(_ page: FakePage) -> JSONValue {
        .object([
            "url": .string(page.state.url), "scrollY": .number(page.frame.scrollY),
            "fields": .object(
                Dictionary(page.frame.fields.map { ($0.selector, .string($0.value)) }, uniquingKeysWith: { $1 })),
        ])
    }

    /// Takes memory, page by page, and keeps it.
    private func leak(_ megabytes: Int) {
        let size = megabytes << 20
        guard let memory = malloc(size) else { return }
        memset(memory, 1, size)
    }
}
