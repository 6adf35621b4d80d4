// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc
package import HostKit

#if WebKit
import CGTK
#endif

/// How a host that shows windows begins.
package enum GTKHost {
    /// Takes relightd's socket and opens the display, or says on standard error why it cannot and exits.
    package static func start(program: String) -> HostChannel {
        #if WebKit
        let channel = HostLaunch.channelOrExit(program: program)
        setDefaults()
        relight_keep_frame_memory()
        guard gtk_init_check() != 0 else {
            HostLaunch.exit(
                program: program, code: HostLaunch.unavailableExitCode,
                "there is no display to show pages on; set WAYLAND_DISPLAY or DISPLAY")
        }
        addStyle()
        return channel
        #else
        HostLaunch.exit(
            program: program, code: HostLaunch.unavailableExitCode,
            "it was built without GTK and WebKitGTK (trait WebKit)")
        #endif
    }

    #if WebKit
    /// Whether there is anything that OpenGL could run on but the processor.
    package static var hasGraphicsProcessor: Bool { access("/dev/dri", R_OK) == 0 }

    /// What suits a machine without a graphics processor; whoever knows better sets the variable.
    private static func setDefaults() {
        if !hasGraphicsProcessor {
            setenv("GSK_RENDERER", "cairo", 0)
            setenv("WEBKIT_SKIA_ENABLE_CPU_RENDERING", "1", 0)
        }
        // Neither settings of a desktop nor its screen reader belong to an unattended page.
        setenv("GTK_A11Y", "none", 0)
        setenv("GSETTINGS_BACKEND", "memory", 0)
    }

    /// What lies behind a page that has not painted yet.
    private static func addStyle() {
        guard let display = gdk_display_get_default(), let provider = gtk_css_provider_new() else { return }
        gtk_css_provider_load_from_data(provider, "window, .relight-black { background: black; }", -1)
        gtk_style_context_add_provider_for_display(display, OpaquePointer(provider), 600)
        g_object_unref(provider)
    }
    #endif
}
