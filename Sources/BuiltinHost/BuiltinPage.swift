// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// What a slot of the built-in host shows.
final class BuiltinPage {
    var history = PageHistory()
    /// What `history` becomes when the page that is coming has come.
    var nextHistory: PageHistory?
    /// The page that is shown: its address, and what was read of it.
    var url = "about:blank"
    var title = ""
    var text = ""
    /// The page that is coming.
    var load: PageLoad?
    /// The bind that waits for `load`.
    var bind: UInt64?

    var state: PageState { history.state(url: url, title: title) }
}
