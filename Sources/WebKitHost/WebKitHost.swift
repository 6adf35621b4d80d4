// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import GTKSupport

/// The host for WebKitGTK.
package enum WebKitHost {
    /// Runs until relightd says stop, or is gone. Call it on the main thread.
    package static func run() {
        let channel = GTKHost.start(program: "relight-webkit")
        #if WebKit
        let application = Application(channel: channel)
        // Its callbacks hold it weakly.
        withExtendedLifetime(application) { application.run() }
        #endif
    }
}
