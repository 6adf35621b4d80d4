// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The texts of `--help`.
enum BenchHelp {
    static let usage = """
        Usage: relight-bench serve|storm|recovery|supervision|demo [OPTION...]
        See 'relight-bench --help'.

        """

    static let overview = """
        Usage: relight-bench SUBCOMMAND [OPTION...]

        Kills what relightd looks after, and measures from outside what came back. Every subcommand starts
        a relightd, a display and a page server of its own and leaves the machine's alone.

          demo [URL]    shows one recovery from a killed content process and one from a killed host
          storm         kills again and again; fails if a cookie, input, scroll position or counter was lost
          recovery      kill to painted: Relight beside WebKit's own reload and cog, on the same page
          supervision   a thousand hosts without a browser engine: kill to ready, memory and idle CPU
          serve         the page alone, to look at it or to point another browser at it

        Exit codes: 0 all as it should be; 1 something was lost; 64 wrong command line; 69 the measurement
        could not be made (the message says why).

        Examples:
          relight-bench demo
          relight-bench storm --target host --kills 100 --seed 1 --json
          relight-bench recovery --json

        """

    static let serve = """
        Usage: relight-bench serve [--port N] [--log]

        Serves the demo page on 127.0.0.1 until it is interrupted, and prints its address.

          --port N   the port (default: any free one)
          --log      print every request as a line of JSON

        Examples:
          relight-bench serve --port 8080
          relight-bench serve --log | grep /report

        """

    static let storm = """
        Usage: relight-bench storm [--target content|host|network] [--kills N] [--seed S] [--views V] [--json]

        Before every kill a page is scrolled and typed into, and the server sets new cookies. The storm waits
        until relightd lists those cookies (they are on disk then) and until the input is a second old, sends
        SIGKILL, waits for the end of the incident, and then believes only the page server and the screen:

          lost_acknowledged_cookies  cookies that the first page request after the kill did not carry (where
                                     the page goes on without a new load: the first request after the incident)
          stale_state                views whose form differs, whose scroll position is off by more than 2 px,
                                     whose address is another, or whose counters in localStorage or IndexedDB
                                     lost more than 1 s, half a second after the end of the incident
          recovery_ms                from the kill to the first look at the frame buffer that shows the new
                                     load of the page (a number in its pixels); for a view that is covered by
                                     another, to its own word, sent after two animation frames; where the page
                                     goes on without a new load, to the end of the incident
          white_ms                   how long the frame buffer showed one colour all over, or something that
                                     is neither the page nor a held frame of it
          fds_before, fds_after      relightd's open descriptors
          zombies, processes_left    dead children not reaped; processes that outlived relightd

          --target T   what is killed: the page's content process (default), its host, or WebKit's network
                       process
          --kills N    how often (default 20)
          --seed S     everything random follows from it (default 1)
          --views V    pages in one pool, on one display (default 1)
          --json       print the summary as one line of JSON, the last of standard output
          --keep       keep the run's directory: configuration, state and log

        Exit codes: 0 nothing was lost; 1 something was; 64 wrong command line; 69 it could not be run.

        Examples:
          relight-bench storm --target content --kills 100 --seed 1 --json
          relight-bench storm --target host --views 3

        """

    static let recovery = """
        Usage: relight-bench recovery [--kills N] [--rounds R] [--only NAME[,NAME...]] [--json]

        Kill to painted on the same page, side by side in one run:

          relight-content  Relight, content process killed
          relight-host     Relight, the whole host killed
          webkit-reload    WebKitGTK's own reload in the same view (relight-baseline), content process killed
          cog              cog --webprocess-failure=restart, where it is installed, content process killed

        painted_ms is measured the same way for all: from SIGKILL to the request that the new load of the page
        sends after two animation frames. screen_ms is from SIGKILL to the first look at the frame buffer that
        shows the new load, fetched_ms to the server's first request for it, white_ms how long the screen showed
        one colour all over or something else; the first and the last are missing where there is no X window.

          --kills N    kills for each (default 20)
          --rounds R   the kills are made in so many blocks, in turn, so that a drift of the machine meets all
                       (default 2)
          --only LIST  measure these only
          --json       print the result as one line of JSON, the last of standard output

        Exit codes: 0 measured; 64 wrong command line; 69 it could not be measured.

        Examples:
          relight-bench recovery --json
          relight-bench recovery --kills 50 --only relight-content,webkit-reload

        """

    static let supervision = """
        Usage: relight-bench supervision [--hosts N] [--kills K] [--idle SECONDS] [--seed S] [--json]

        Starts relightd with N pools of one view each, shown by the built-in host, and reports

          kill_to_ready_ms    from SIGKILL of a host to the end of the incident, as an event's reader gets it
          start_ms            from the start of relightd until all views are ready
          supervisor_pss_kb   relightd's proportional set size; host_pss_kb: the median of some hosts
          idle_cpu_percent    relightd's share of one processor while nothing happens

          --hosts N        how many (default 1000)
          --kills K        how many of them are killed, one after the other (default 200)
          --idle SECONDS   how long idleness is measured (default 30)
          --seed S         which hosts are killed follows from it (default 1)
          --set KEY=VALUE[,...]  further settings of every pool, to see what they change
          --json           print the result as one line of JSON, the last of standard output

        Exit codes: 0 measured; 1 a view did not come back; 64 wrong command line; 69 it could not be measured.

        Examples:
          relight-bench supervision --json
          relight-bench supervision --hosts 100 --kills 50

        """

    static let demo = """
        Usage: relight-bench demo [URL] [--output DIR]

        Starts a display, relightd and a page (a form, a long list, a login, counters), fills the form, scrolls,
        kills the content process with SIGKILL, then the whole host, and shows for each kill what relightd did
        when, what came back, and pictures of the screen before and after. With URL it shows that page instead.

          --output DIR   where the pictures go (default: a new directory in /tmp)

        Exit codes: 0 the page came back; 1 it did not; 64 wrong command line; 69 the demo could not be run.

        Examples:
          relight-bench demo
          relight-bench demo https://example.org/ --output pictures

        """
}
