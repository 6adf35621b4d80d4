// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The release that every program of this package belongs to.
package enum Release {
    package static let version = "0.1.0"
}
