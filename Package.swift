// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import PackageDescription

let webkit: TargetDependencyCondition? = .when(traits: ["WebKit"])

let package = Package(
    name: "relight",
    products: [
        .executable(name: "relightd", targets: ["relightd"]),
        .executable(name: "relightctl", targets: ["relightctl"]),
        .executable(name: "relight-webkit", targets: ["relight-webkit"]),
        .executable(name: "relight-builtin", targets: ["relight-builtin"]),
        .executable(name: "relight-curtain", targets: ["relight-curtain"]),
        .executable(name: "relight-bench", targets: ["relight-bench"]),
    ],
    traits: [
        .trait(
            name: "WebKit", description: "Build relight-webkit and relight-curtain (needs GTK 4 and WebKitGTK 6.0)."),
        .default(enabledTraits: ["WebKit"]),
    ],
    targets: [
        // C libraries, each entered at one place.
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPublicSuffix", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .systemLibrary(name: "CWebKitGTK", pkgConfig: "webkitgtk-6.0", providers: [.apt(["libwebkitgtk-6.0-dev"])]),
        .target(name: "CLinux"),

        // The operating system.
        .target(name: "Platform", dependencies: ["CLinux"]),
        .target(name: "EventLoop", dependencies: ["CSystemd", "Platform"]),
        .target(name: "Systemd", dependencies: ["CSystemd", "CLinux", "Platform"]),

        // Pure: values in, values out.
        .target(name: "Cookies", dependencies: ["CPublicSuffix"]),
        .target(name: "Wire", dependencies: ["Cookies"]),
        .target(name: "Configuration"),
        .target(name: "Supervision"),

        .target(name: "Transport", dependencies: ["CLinux", "Platform", "Wire"]),
        .target(name: "ConfigurationFiles", dependencies: ["Configuration", "Platform"]),

        // The supervisor.
        .target(name: "Snapshots", dependencies: ["CSQLite", "Cookies", "Wire", "Platform"]),
        .target(
            name: "Daemon",
            dependencies: [
                "Configuration", "ConfigurationFiles", "Cookies", "EventLoop", "Platform", "Snapshots", "Supervision",
                "Systemd",
                "Transport", "Wire",
            ]),

        // The hosts.
        .target(name: "HostKit", dependencies: ["Cookies", "Platform", "Transport", "Wire"]),
        .target(
            name: "GTKSupport", dependencies: ["HostKit", "Platform", "Wire", .target(name: "CGTK", condition: webkit)]),
        .target(
            name: "WebKitHost",
            dependencies: [
                "Cookies", "GTKSupport", "HostKit", "Platform", "Wire", .target(name: "CGTK", condition: webkit),
                .target(name: "CWebKitGTK", condition: webkit),
            ]),
        .target(
            name: "CurtainHost",
            dependencies: ["GTKSupport", "HostKit", "Platform", "Wire", .target(name: "CGTK", condition: webkit)]),
        .target(name: "BuiltinHost", dependencies: ["CCurl", "Cookies", "HostKit", "Platform", "Wire"]),

        // The command line and the measuring instruments.
        .target(name: "RelightKit", dependencies: ["Cookies", "Platform", "Transport", "Wire"]),
        .target(
            name: "ControlTool",
            dependencies: [
                "Configuration", "ConfigurationFiles", "Cookies", "Platform", "RelightKit", "Systemd", "Wire",
            ]),
        .target(name: "Bench", dependencies: ["Cookies", "Platform", "RelightKit", "Systemd", "Wire"]),

        .executableTarget(name: "relightd", dependencies: ["Daemon"]),
        .executableTarget(name: "relightctl", dependencies: ["ControlTool"]),
        .executableTarget(name: "relight-webkit", dependencies: ["WebKitHost"]),
        .executableTarget(name: "relight-curtain", dependencies: ["CurtainHost"]),
        .executableTarget(name: "relight-builtin", dependencies: ["BuiltinHost", "HostKit"]),
        .executableTarget(name: "relight-bench", dependencies: ["Bench"]),
        .executableTarget(
            name: "relight-baseline", dependencies: [.target(name: "CWebKitGTK", condition: webkit)]),
        .executableTarget(name: "relight-fake", dependencies: ["HostKit", "Platform", "Wire", "Cookies"]),

        // What only tests use.
        .target(
            name: "TestSupport", dependencies: ["HostKit", "Platform", "RelightKit", "Wire", "Cookies"],
            path: "Tests/TestSupport"),
        .testTarget(name: "PlatformTests", dependencies: ["Platform", "TestSupport"]),
        .testTarget(name: "SystemdTests", dependencies: ["CLinux", "EventLoop", "Platform", "Systemd", "TestSupport"]),
        .testTarget(name: "CookiesTests", dependencies: ["Cookies"], resources: [.copy("Vectors")]),
        .testTarget(name: "WireTests", dependencies: ["Wire", "Cookies", "Platform", "Transport"]),
        .testTarget(name: "ConfigurationTests", dependencies: ["Configuration"]),
        .testTarget(name: "SupervisionTests", dependencies: ["Supervision"]),
        .testTarget(name: "SnapshotsTests", dependencies: ["Cookies", "Snapshots", "Wire", "Platform", "TestSupport"]),
        .testTarget(
            name: "DaemonTests",
            dependencies: ["Daemon", "Configuration", "RelightKit", "Wire", "Platform", "Systemd", "TestSupport"]),
        .testTarget(
            name: "HostTests",
            dependencies: [
                "BuiltinHost", "HostKit", "Cookies", "Wire", "Platform", "Bench", "TestSupport", "Transport",
            ]),
        .testTarget(
            name: "WebKitTests", dependencies: ["Bench", "RelightKit", "TestSupport", "Wire"]),
        .testTarget(
            name: "ControlToolTests",
            dependencies: [
                "ConfigurationFiles", "ControlTool", "Cookies", "Platform", "RelightKit", "TestSupport", "Transport",
                "Wire",
            ]),
        .testTarget(
            name: "SystemTests", dependencies: ["RelightKit", "Bench", "Systemd", "Wire", "Platform", "TestSupport"],
            exclude: ["stock-varlink-client.py"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.name != "CLinux" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .unsafeFlags(["-warnings-as-errors"]),
    ]
}
