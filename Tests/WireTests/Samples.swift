// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies

@testable import Wire

/// One message of every kind, with every field set to something that is easy to get wrong.
enum Samples {
    static let cookie = Cookie(
        name: "__Host-é", value: "a=b; \"c\"\\/\u{1F36A}\t", domain: "example.org", isHostOnly: false, path: "/a b",
        expires: -1, isSecure: true, isHTTPOnly: true, sameSite: .strict, partitionKey: "https://top.example")
    static let session = Cookie(name: "", value: "", domain: "h")
    static let changes = CookieChanges(set: [cookie, session], deleted: [session.identity])
    static let state = PageState(
        url: "https://example.org/?q=1&r=\u{2028}", title: "T\0\"\n", sessionState: "AAEC",
        frames: [
            FrameState(
                path: "0.2", url: "about:blank", scrollX: -0.5, scrollY: 1e9,
                fields: [FormField(selector: "#a > b", kind: .editable, value: "<b>\r\n</b>")],
                sessionStorage: ["": "", "k\0": "v"])
        ])

    static let host: [HostMessage] = [
        .hello(.init(renderer: "webkit", version: "2.50.6", pid: 7)), .slotReady(.init(slot: 0, contentPID: 8)),
        .slotReady(.init(slot: Int.max)),
        .slotLost(.init(slot: 1, reason: .exceededMemory, detectedAt: UInt64(Int64.max))),
        .processes(.init(networkPID: 3, content: [.init(slot: 1, pid: 4)], helperPIDs: [5, 6])), .processes(.init()),
        .networkLost(.init(pid: 3, detectedAt: 9)),
        .navigation(.init(slot: 1, phase: .redirected, url: "u", title: "t", status: 302, error: "e")),
        .progress(.init(slot: 1, bind: 2, step: .verified, at: 3, detail: "d")),
        .cookies(.init(sequence: 1, changes: changes)), .pageState(.init(slot: 1, state: state)),
        .picture(.init(slot: 1, width: 1280, height: 720, stride: 5120)),
        .pong(.init(sequence: 1, slots: [.init(slot: 1, silence: 20)])),
        .reply(.init(id: 1, value: .object(["a": .array([.null, .bool(true), .number(0.5)])]))),
        .reply(.init(id: 2, error: "no", hasDescriptor: true)), .log(.init(priority: 3, text: "line\nline")),
    ]

    static let supervisor: [SupervisorMessage] = [
        .welcome(
            .init(
                pool: "default", dataDirectory: "/d", cacheDirectory: "/c", warmSlots: 1, isStandby: true,
                cookies: [cookie], width: 1, height: 2)),
        .setCookies(.init(id: 1, changes: changes)), .cookiesStored(sequence: UInt64(Int64.max)), .warm(count: 0),
        .bind(
            .init(
                bind: 1, slot: 2, view: "lobby", url: "u", state: state, cookies: [], fullscreen: false,
                output: "HDMI-1")),
        .bind(.init(bind: 1, slot: 2, view: "lobby", url: "u")), .release(slot: 1),
        .navigate(.init(slot: 1, action: .reloadBypassingCache, url: nil)),
        .evaluate(.init(id: 1, slot: 1, script: "\"</script>\"")), .screenshot(.init(id: 1, slot: 1)),
        .capture(.init(id: 1, slot: 1)), .ping(sequence: 0),
        .curtain(.init(slot: 0, width: 1, height: 1, stride: 4)), .stop,
    ]
}
