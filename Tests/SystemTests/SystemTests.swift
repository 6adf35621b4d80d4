// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Testing

/// The real relightd under a real systemd with the real units, in `Sandbox.shared`. One test after the other, since they
/// share one machine: each takes a `Service` of its own, which finds Relight installed and nothing left of the one before.
@Suite(.serialized) struct UnderSystemd {}
