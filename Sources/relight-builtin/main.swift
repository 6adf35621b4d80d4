// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import BuiltinHost
import HostKit

let program = "relight-builtin"
let channel = HostLaunch.channelOrExit(program: program)
do {
    try BuiltinRenderer(channel: channel).run()
} catch {
    // EX_PROTOCOL of sysexits(3).
    HostLaunch.exit(program: program, code: 76, "\(error)")
}
