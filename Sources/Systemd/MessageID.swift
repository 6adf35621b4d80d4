// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The fixed IDs of Relight's journal entries (MESSAGE_ID=), one for each kind of fact. They never change: catalogs,
/// alerts and dashboards name them. Units/relight.catalog explains each, Docs/journal.md lists them.
package enum MessageID: String, CaseIterable, Sendable {
    /// relightd is ready.
    case daemonStarted = "98c581346a40401f8f9953f5cbd8c77c"
    /// relightd stops in order.
    case daemonStopping = "aeb2e75112c84f54be176443714bb3bd"
    /// The configuration was loaded, at start or by a reload.
    case configurationLoaded = "5b550b94beac470cb279d8ee2ab41119"
    /// The configuration, or a part of it, was refused; what ran before goes on.
    case configurationRejected = "3d54d74475334ad39cb8f116847533b5"
    /// A pool has its first host ready.
    case poolStarted = "760c818f86204491aa4f610305bd3604"
    /// A host process was started.
    case hostStarted = "fcde758675ea48f49497a83f62077bb1"
    /// A host said hello and is ready for views.
    case hostReady = "5109067853b74d749ae223e5af3b6931"
    /// A host process ended.
    case hostExited = "49448f8d60c340998252a3a36985494e"
    /// A host said a bad hello, none in time, or speaks another protocol version.
    case hostRejected = "6e5b657a39954bca901bf8a6e5797ae6"
    /// A view was opened.
    case viewOpened = "cd430ddfe5ab436494b0152b0baf4a38"
    /// A view was closed.
    case viewClosed = "bab8eacfbac24cd7945cff52994be631"
    /// A view has painted for the first time.
    case viewReady = "420a2cdd50e849719a8d79bbf4382b34"
    /// A view failed; recovery begins.
    case incidentOpened = "e2d2f6ca506b4ab3bee6587619bdfdf1"
    /// A view is back; carries the whole timeline.
    case incidentClosed = "d8bfb578a8c048e881fa223bfc888770"
    /// A recovery step failed; the ladder goes on.
    case recoveryFailed = "5daa9c3b87d64b2c81dbe1be1352a31e"
    /// A view keeps failing and is in quarantine.
    case viewQuarantined = "341bbf91b84f4622afffbe86d488c350"
    /// A host's network process ended.
    case networkProcessLost = "4f6180c453d745d8bfe024b988208f33"
    /// Cookies were put back from the snapshot.
    case cookiesRestored = "68af915df373475a9c51919f96fb16c3"
    /// A snapshot was saved.
    case snapshotSaved = "e5f3f1771df844aba2777778b424560b"
    /// The snapshot store was damaged and was moved away; a new one is in use.
    case snapshotStoreSetAside = "4d9276bd99ce4ff0b545504a278867fe"
    /// The snapshot store cannot be written.
    case snapshotStoreFailed = "46e3a6c5293949fba25612af2c967476"
    /// A peer broke a protocol.
    case protocolError = "9bb729e3d0ce4565963168b38a6c92bd"
    /// A curtain process ended.
    case curtainLost = "c40e07a6eed7456dbbf8d8a1b6499321"
    /// A process outlived what it belonged to and was ended.
    case processLeftover = "f80c7f995f0b49f09b7eb80b6f52748e"
}
