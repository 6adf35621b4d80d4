// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Wire

/// What a slot of the fake host shows.
final class FakePage {
    /// The process behind it, if there are processes.
    var content: FakeProcess?
    var state = PageState(url: "about:blank")
    /// CLOCK_MONOTONIC microseconds since which the page does not answer; nil while it does.
    var silentSince: UInt64?

    init(content: FakeProcess?) {
        self.content = content
    }

    /// The main frame's state, made if there is none.
    var frame: FrameState {
        get { state.frames.first { $0.path.isEmpty } ?? FrameState(url: state.url) }
        set {
            state.frames.removeAll { $0.path.isEmpty }
            state.frames.insert(newValue, at: 0)
        }
    }

    /// Another page, without anything typed or scrolled.
    func show(_ url: String) {
        state = PageState(url: url, title: "Fake " + url)
    }
}
