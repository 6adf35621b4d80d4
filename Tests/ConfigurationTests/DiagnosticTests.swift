// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

@testable import Configuration

@Suite struct DiagnosticTests {
    private let url = "URL=http://x.test/\n"

    @Test func aMisspelledKeyNamesTheNearest() {
        #expect(
            complaints(("views/lobby.view", "[View]\n\(url)Ulr=http://x.test/\n"))
                == ["views/lobby.view:3: unknown key 'Ulr' in [View]; did you mean 'URL'?"])
    }

    @Test(arguments: [
        (
            "pools/p.pool", "[Pool]\nWarmSlot=1",
            "pools/p.pool:2: unknown key 'WarmSlot' in [Pool]; did you mean 'WarmSlots'?"
        ),
        ("pools/p.pool", "[Pool]\nwarmslots=1", "pools/p.pool:2: unknown key 'warmslots' in [Pool]; write 'WarmSlots'"),
        (
            "pools/p.pool", "[Pool]\nFullscreen=yes",
            "pools/p.pool:2: unknown key 'Fullscreen' in [Pool]; it belongs into [View] of views/NAME.view"
        ),
        ("pools/p.pool", "[Pol]\nX=1\nY=2", "pools/p.pool:1: unknown section [Pol]; did you mean [Pool]?"),
        ("pools/p.pool", "[Service]", "pools/p.pool:1: unknown section [Service]; this file has a section [Pool]"),
        (
            "pools/p.pool", "[Pool]\nStandby=maybe",
            "pools/p.pool:2: Standby=maybe is neither auto, yes nor no; allowed: auto, yes, no; "
                + "for example Standby=yes"
        ),
        (
            "pools/p.pool", "[Pool]\nWarmSlots=17",
            "pools/p.pool:2: WarmSlots=17 is too large; allowed: auto, 0 to 16; for example WarmSlots=1"
        ),
        (
            "pools/p.pool", "[Pool]\nHelloTimeout=10 parsecs",
            "pools/p.pool:2: HelloTimeout=10 parsecs is not a time span; allowed: 100ms to 10min; "
                + "for example HelloTimeout=10s"
        ),
        (
            "pools/p.pool", "[Pool]\nHelloTimeout=infinity",
            "pools/p.pool:2: HelloTimeout=infinity is too long; allowed: 100ms to 10min; for example HelloTimeout=10s"
        ),
        (
            "pools/p.pool", "[Pool]\nRenderer=chrome",
            "pools/p.pool:2: Renderer=chrome is not one of them; allowed: webkit, builtin, an absolute path; "
                + "for example Renderer=webkit"
        ),
        (
            "pools/p.pool", "[Pool]\nHeartbeatInterval=20s",
            "pools/p.pool:2: HeartbeatTimeout=15s is shorter than HeartbeatInterval=20s; "
                + "give at least 20s, better three times that"
        ),
        (
            "views/v.view", "[View]\nPool=default",
            "views/v.view: there is no URL= in [View]; add one, for example URL=https://example.org/"
        ),
        (
            "views/v.view", "URL=http://x.test/",
            "views/v.view:1: 'URL=' stands before any section; put a section such as [View] above it"
        ),
        (
            "views/v.view", "[View]\nURL=http://x.test/\nhello",
            "views/v.view:3: 'hello' is neither a section, an assignment nor a comment; "
                + "write Key=Value, or # in front of a comment"
        ),
        (
            "views/v.view", "[View]\nURL=http://x.test/\nURL=http://y.test/",
            "views/v.view:3: warning: URL= was set in line 2 already; this one counts"
        ),
        ("views/v.view", "[View\nURL=http://x.test/", "views/v.view:1: '[View' is not a section; write [Name]"),
        (
            "views/v.view", "[View]\nURL=example.org",
            "views/v.view:2: URL=example.org has no scheme; allowed: http:, https:, file: or about:; "
                + "for example URL=https://example.org/"
        ),
        (
            "views/v.view", "[View]\nURL=http://x.test/\nPool=defautl",
            "views/v.view:3: there is no pool 'defautl'; did you mean 'default'? there are: default"
        ),
        (
            "views/a b.view", "[View]\nURL=http://x.test/",
            "views/a b.view: the view's name 'a b' contains ' '; use 1 to 64 of A-Z a-z 0-9 . _ - and no dot in front"
        ),
        (
            "views/v.view.d/x.conf", "[View]\nURL=http://x.test/",
            "views/v.view.d/x.conf: this extends view 'v', which has no file; add views/v.view or remove this one"
        ),
        (
            "pools/p.pool", "[Pool]\nEnvironment=SECRET",
            "pools/p.pool:2: Environment= has a part without '='; allowed: NAME=value, quoted if needed; "
                + "for example Environment=LANG=de_DE.UTF-8"
        ),
    ]) func everyMistakeIsNamed(path: String, text: String, expected: String) {
        let said = complaints((path, text))
        #expect(said.contains(expected), "said: \(said)")
    }

    @Test func linesAreCountedThroughContinuationsAndCarriageReturns() {
        let text = "[View]\r\nURL=\\\r\n http://x.test/\r\n# Bad=1\r\nBad=1\r\n"
        #expect(
            complaints(("views/v.view", text)).map { String($0.prefix(30)) }
                == ["views/v.view:5: unknown key 'Ba"].map {
                    String($0.prefix(30))
                })
    }

    @Test func poolsThatExistAreListed() {
        let said = complaints(
            ("pools/kiosk.pool", "[Pool]"), ("views/v.view", "[View]\nURL=http://x.test/\nPool=other"))
        #expect(said == ["views/v.view:3: there is no pool 'other'; there are: default, kiosk"])
    }

    @Test func errorsDoNotCarryControlCharactersOrEndlessText() {
        let said = complaints(
            ("views/v.view", "[View]\nURL=http://x.test/\n\u{1B}]0;owned\u{7}\(String(repeating: "x", count: 500))=1"))
        #expect(said.count == 1)
        #expect(!said.joined().utf8.contains { $0 < 0x20 })
        #expect(said.joined().count < 500)
    }

    @Test func xKeysAndSectionsAreForOthers() {
        #expect(complaints(("views/v.view", "[View]\n\(url)X-Mine=1\n[X-Other]\nAny=thing\n")) == [])
    }

    @Test func bytesThatAreNoTextAreNamedByLine() {
        func said(_ bytes: [UInt8]) -> [String] {
            Configuration.load([ConfigurationFile(kind: .view("v"), path: "v", bytes: bytes)])
                .diagnostics.map(\.description)
        }
        let good = Array("[View]\nURL=http://x.test/\n".utf8)
        #expect(said(good) == [])
        #expect(said([0xEF, 0xBB, 0xBF] + good) == [])
        #expect(said(good + [0xFF]) == ["v:3: the line is not valid UTF-8; save the file as UTF-8"])
        #expect(said(good + [0]) == ["v:3: the line contains a NUL byte; is this a text file?"])
        let long = good + Array("Output=".utf8) + Array(repeating: 0x20, count: 70_000)
        #expect(said(long) == ["v:3: the line is longer than 64 KiB; break it with a backslash at the line's end"])
        let folded = good + Array(repeatElement(Array("X-a=aaaaaaaaaaaaaaaaaaaaaaa\\\n".utf8), count: 5000).joined())
        #expect(said(folded).first == "v:3: the line and its continuations are longer than 64 KiB; shorten it")
        let huge = good + Array(repeating: 0x0A, count: 1 << 20)
        #expect(said(huge).first == "v: the file is larger than 1 MiB; make it smaller")
    }
}
