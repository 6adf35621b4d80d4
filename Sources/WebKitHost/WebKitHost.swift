// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#if WebKit
import CGTK
import GTKSupport
#endif
import Glibc
import HostKit

/// The host for WebKitGTK.
package enum WebKitHost {
    /// Runs until relightd says stop, or is gone. Call it on the main thread.
    package static func run() {
        let program = "relight-webkit"
        #if WebKit
        let channel = HostLaunch.channelOrExit(program: program)
        setDefaults()
        guard gtk_init_check() != 0 else {
            HostLaunch.exit(
                program: program, code: HostLaunch.unavailableExitCode,
                "there is no display to show pages on; set WAYLAND_DISPLAY or DISPLAY")
        }
        addStyle()
        let application = Application(channel: channel)
        // Its callbacks hold it weakly.
        withExtendedLifetime(application) { application.run() }
        #else
        HostLaunch.exit(
            program: program, code: HostLaunch.unavailableExitCode, "it was built without WebKitGTK (trait WebKit)")
        #endif
    }

    #if WebKit
    /// What suits a machine without a graphics processor; whoever knows better sets the variable.
    private static func setDefaults() {
        if access("/dev/dri", R_OK) != 0 { setenv("GSK_RENDERER", "cairo", 0) }
        // Neither settings of a desktop nor its screen reader belong to an unattended page.
        setenv("GTK_A11Y", "none", 0)
        setenv("GSETTINGS_BACKEND", "memory", 0)
    }

    private static func addStyle() {
        guard let display = gdk_display_get_default(), let provider = gtk_css_provider_new() else { return }
        gtk_css_provider_load_from_data(provider, ".relight-black { background: black; }", -1)
        gtk_style_context_add_provider_for_display(display, OpaquePointer(provider), 600)
        g_object_unref(provider)
    }
    #endif
}
