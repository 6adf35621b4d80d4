// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CLinux

package enum Heap {
    /// Gives free memory back to the system; for a process that has just done something big and will idle now.
    package static func trim() { _ = relight_trim_heap() }
}
