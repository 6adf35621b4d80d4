// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

package import Cookies
package import Wire

/// Everything that a store holds, as relightd needs it when it starts.
package struct StoredState: Sendable, Equatable {
    /// By pool, in the order in which they were first set.
    package var cookies: [String: [Cookie]] = [:]
    /// By the view's name.
    package var views: [String: StoredView] = [:]
    /// By the view's name, for views without page state too; counts on where old incidents are no longer kept.
    package var incidentCounts: [String: Int] = [:]
    /// What could not be read.
    package var notices: [StoreNotice] = []

    package init() {}
}

/// The newest page state of a view.
package struct StoredView: Sendable, Equatable {
    package var pool: String
    /// What the view was told to show.
    package var url: String
    /// nil if it was stored but can no longer be read.
    package var state: PageState?
    /// Microseconds since 1970.
    package var savedAt: UInt64
    package var incidents: Int

    package init(pool: String, url: String, state: PageState?, savedAt: UInt64, incidents: Int = 0) {
        self.pool = pool
        self.url = url
        self.state = state
        self.savedAt = savedAt
        self.incidents = incidents
    }
}
