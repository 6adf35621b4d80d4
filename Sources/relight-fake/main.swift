// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import HostKit
import Platform
import Glibc

prepareAndRun()

private func prepareAndRun() {
    let program = "relight-fake"
    let environment = Environment.current()
    let channel = HostLaunch.channelOrExit(program: program)
    do {
        var script = try FakeScript(parsing: environment["RELIGHT_FAKE_SCRIPT"] ?? "")
        if let limit = script.number(.hosts), ordinal(environment["RELIGHT_FAKE_COUNTER"]) > limit {
            script = FakeScript()
        }
        FakeHost(channel: channel, script: script).run()
    } catch {
        HostLaunch.exit(program: program, code: HostLaunch.usageExitCode, error.description)
    }
}

/// The how manieth host this is of those that use the file: each adds one byte.
private func ordinal(_ path: String?) -> Int {
    guard let path else { return 1 }
    let fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard fd >= 0 else { return 1 }
    defer { close(fd) }
    write(fd, ".", 1)
    // The position after an appending write is behind what was written, whoever writes at the same time.
    return Int(lseek(fd, 0, SEEK_CUR))
}
