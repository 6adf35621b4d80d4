// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

extension Control {
    /// The interface in Varlink's own language, as `org.varlink.service.GetInterfaceDescription` returns it.
    package static let description = """
        # Relight: keeps web pages on screen and logged in.
        interface io.relight

        type View (
          name: string, pool: string, state: (starting, ready, recovering, quarantined, closing),
          url: string, title: string, renderer: string, slot: ?int, hostPID: ?int, contentPID: ?int,
          networkPID: ?int, incidents: int, since: int, snapshotAt: ?int, cookies: int
        )
        type Host (
          pid: int, pool: string, renderer: string, role: string, warmSlots: int, boundSlots: int,
          networkPID: ?int, helperPIDs: []int
        )
        type Mark (step: string, offset: int, detail: ?string)
        type Incident (
          id: string, view: string, pool: string, cause: string, openedAt: int, closedAt: ?int,
          outcome: ?string, path: ?string, hostPID: ?int, contentPID: ?int, attempts: int, timeline: []Mark
        )
        type Event (
          kind: string, at: int, view: ?string, pool: ?string, message: string, incident: ?Incident
        )
        type Cookie (
          name: string, value: string, domain: string, isHostOnly: bool, path: string, expires: ?int,
          isSecure: bool, isHTTPOnly: bool, sameSite: (unspecified, none, lax, strict), partitionKey: ?string
        )

        # All views, by name.
        method List() -> (views: []View)
        # One view, or all of them, with the hosts behind them.
        method Status(view: ?string) -> (
          version: string, pid: int, startedAt: int, views: []View, hosts: []Host
        )
        # Opens a view that lasts until it is closed or relightd stops.
        method Open(view: string, url: string, pool: ?string) -> ()
        # Closes a view and forgets its page state.
        method Close(view: string) -> ()
        method Load(view: string, url: string) -> ()
        method Reload(view: string) -> ()
        # Brings the view's cookies and page state to disk now.
        method Snapshot(view: string) -> (cookies: int, snapshotAt: ?int)
        # A PNG of the view, base64.
        method Screenshot(view: string) -> (png: string)
        # Runs a script in the page and returns its value.
        method Evaluate(view: string, script: string) -> (value: object)
        # The cookies of the view's pool, as they are on disk.
        method ListCookies(view: string) -> (cookies: []Cookie)
        # A drill: sends a signal (SIGKILL if none is named) to a process behind the view.
        method Kill(view: string, target: (content, host, network), signal: ?int) -> (pid: int)
        # Incidents, the newest first.
        method Incidents(view: ?string) -> (incidents: []Incident)
        # Call with "more": every event from now on. The first reply comes at once, with an event of kind "subscribed".
        method Events(view: ?string) -> (event: Event)

        error ViewNotFound(message: string, remedy: string)
        error ViewExists(message: string, remedy: string)
        error PoolNotFound(message: string, remedy: string)
        error InvalidArgument(message: string, remedy: string)
        error NotReady(message: string, remedy: string)
        error HostFailed(message: string, remedy: string)
        error PermissionDenied(message: string, remedy: string)
        error LimitReached(message: string, remedy: string)

        """
}
