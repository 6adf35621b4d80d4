// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import TestSupport
import Testing
import Wire

extension UnderSystemd {
    /// What the unit promises is in force in the running process, and nobody else can read what it stores.
    @Test func itRunsWithLittlePower() throws {
        let service = try Service([
            "pools/default.pool": Service.pool(), "views/lobby.view": "[View]\nURL=http://fake.test/\n",
        ])
        try service.start()
        try service.evaluate("set cookie login=value")
        try service.control("snapshot lobby")
        let view = try service.view()

        for pid in [try service.mainPID(), try #require(view.hostPID), try #require(view.contentPID)] {
            let facts = try service.sandbox.check("ps -o user= -o group= -p \(pid); cat /proc/\(pid)/status")
            #expect(facts.split(separator: "\n").first?.split(separator: " ") == ["relight", "relight"])
            #expect(facts.contains("NoNewPrivs:\t1"))
            #expect(facts.contains("CapBnd:\t0000000000000000"))
            #expect(facts.contains("CapEff:\t0000000000000000"))
            #expect(facts.contains("Seccomp:\t2"))
        }
        // As the service sees the file system: nothing but its own directories can be written.
        let writable = try service.sandbox.check(
            """
            cd /
            for path in / /usr /etc /etc/relight /var /home /boot /var/lib/relight /var/cache/relight /run/relight; do
                [[ ! -d $path ]] ||
                    nsenter --target \(service.mainPID()) --mount \
                        setpriv --reuid relight --regid relight --clear-groups test -w $path && echo $path || true
            done
            """)
        #expect(writable.split(separator: "\n") == ["/var/lib/relight", "/var/cache/relight", "/run/relight"])

        // What it stores.
        #expect(
            try service.sandbox.check("stat --format '%a %U %G' /var/lib/relight /var/cache/relight")
                == "700 relight relight\n700 relight relight")
        #expect(try service.sandbox.check("find /var/lib/relight -name '*.sqlite*' -type f | wc -l") != "0")
        #expect(try service.sandbox.check("find /var/lib/relight -type f ! -perm 600") == "")
        #expect(try service.sandbox.check("find /var/lib/relight -type d ! -perm 700") == "")
        #expect(try service.sandbox.check("find /var/lib/relight ! -user relight") == "")
        let stranger = try service.sandbox.run("runuser -u nobody -- ls /var/lib/relight /etc/relight")
        #expect(stranger.status != 0)
        #expect(stranger.errors.contains("/var/lib/relight"))
        #expect(stranger.errors.contains("/etc/relight"))
    }

    /// What systemd itself thinks of the units.
    @Test func systemdHasNothingToComplainOf() throws {
        let service = try Service([:])
        let units = Sandbox.repository + "/Units"
        let verified = try service.sandbox.run(
            """
            systemd-analyze verify /etc/systemd/system/relightd.service /etc/systemd/system/relightd.socket &&
                XDG_RUNTIME_DIR=/run systemd-analyze --user verify \(units)/user/relightd.service
            """)
        #expect(verified.status == 0)
        #expect(verified.output + verified.errors == "")
        // The probe complains if there is something to complain of.
        let wrong = try service.sandbox.run(
            """
            sed 's/^KillMode=.*/KillMode=sometimes/' \(units)/relightd.service >/tmp/wrong.service
            systemd-analyze verify /tmp/wrong.service
            """)
        #expect(wrong.errors.contains("sometimes"))

        // "OK" begins below 5; a unit without any hardening has 9.6. In tenths.
        let security = try service.sandbox.run(
            "systemd-analyze security --no-pager --offline=true --threshold=40 \(units)/relightd.service")
        #expect(security.status == 0, "\(security.output)")
        #expect(security.output.contains("Overall exposure level for relightd.service: "))
    }

    /// The user and the directories, as systemd makes them from what a package installs.
    @Test func theUserAndTheDirectoriesAreMade() throws {
        let service = try Service([:])
        let entry = try service.sandbox.check("getent passwd relight | cut -d: -f6,7")
        #expect(entry == "/var/lib/relight:/usr/sbin/nologin")
        let groups = try service.sandbox.check("id --name --groups relight").split(separator: " ")
        #expect(Set(groups) == ["relight", "audio", "video", "render"])
        #expect(
            try service.sandbox.check("stat --format '%n %a %U %G' /etc/relight /etc/relight/pools /run/relight")
                == """
                /etc/relight 750 root relight
                /etc/relight/pools 750 root relight
                /run/relight 755 relight relight
                """)
        // Twice is as good as once.
        try service.sandbox.check("systemd-sysusers relight.conf; systemd-tmpfiles --create relight.conf")
        #expect(try service.sandbox.check("grep -c ^relight: /etc/passwd") == "1")
    }
}
