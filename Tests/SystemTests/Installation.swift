// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Relight where a package would put it, in a sandbox.
enum Installation {
    /// A pool's Renderer= for the scripted host.
    static let fake = "/usr/libexec/relight/relight-fake"

    /// The script that installs it. The built programs are mounted, not copied: they are large, and the user relight may
    /// not look into the directory they are in. The same goes for the Swift libraries that debug builds link to, which
    /// are in somebody's home directory at times, where ProtectHome= hides them.
    static func script(repository: String, products: String) -> String {
        """
        repository=\(quoted(repository))
        products=\(quoted(products))

        # Not on the machine itself.
        for directory in /usr/bin /usr/libexec /usr/local/lib /usr/lib/systemd/catalog; do
            layers=/run/installation$directory
            mkdir -p "$layers/upper" "$layers/work"
            mount -t overlay -o "lowerdir=$directory,upperdir=$layers/upper,workdir=$layers/work" overlay "$directory"
        done

        mount_file() {
            : >"$2"
            mount --bind "$1" "$2"
        }
        mkdir -p /usr/libexec/relight
        for name in relightd relightctl; do mount_file "$products/$name" "/usr/bin/$name"; done
        for name in relight-webkit relight-builtin relight-curtain relight-fake; do
            [[ ! -e $products/$name ]] || mount_file "$products/$name" "/usr/libexec/relight/$name"
        done
        ldd /usr/bin/relight* /usr/libexec/relight/* | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' | sort -u |
            while read -r library; do
                case $library in
                    /lib/* | /lib64/* | /usr/*) ;;
                    *) mount_file "$library" "/usr/local/lib/${library##*/}" ;;
                esac
            done
        ldconfig

        mkdir -p /etc/sysusers.d /etc/tmpfiles.d
        cp "$repository/Units/relightd.service" "$repository/Units/relightd.socket" /etc/systemd/system/
        cp "$repository/Units/relight.sysusers" /etc/sysusers.d/relight.conf
        cp "$repository/Units/relight.tmpfiles" /etc/tmpfiles.d/relight.conf
        cp "$repository/Units/relight.catalog" /usr/lib/systemd/catalog/relight.catalog
        systemd-sysusers relight.conf
        systemd-tmpfiles --create relight.conf
        journalctl --update-catalog
        systemctl daemon-reload
        """
    }
}
