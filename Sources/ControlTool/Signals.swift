// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Glibc

/// Signals by name and number.
enum Signals {
    private static let named: [(name: String, number: Int32)] = [
        ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("ILL", SIGILL), ("TRAP", SIGTRAP), ("ABRT", SIGABRT),
        ("BUS", SIGBUS), ("FPE", SIGFPE), ("KILL", SIGKILL), ("USR1", SIGUSR1), ("SEGV", SIGSEGV), ("USR2", SIGUSR2),
        ("PIPE", SIGPIPE), ("ALRM", SIGALRM), ("TERM", SIGTERM), ("CHLD", SIGCHLD), ("CONT", SIGCONT),
        ("STOP", SIGSTOP), ("TSTP", SIGTSTP), ("TTIN", SIGTTIN), ("TTOU", SIGTTOU), ("URG", SIGURG),
        ("XCPU", SIGXCPU), ("XFSZ", SIGXFSZ), ("VTALRM", SIGVTALRM), ("PROF", SIGPROF), ("WINCH", SIGWINCH),
        ("IO", SIGIO), ("PWR", SIGPWR), ("SYS", SIGSYS),
    ]
    /// The highest real-time signal (signal(7)).
    private static let highest: Int32 = 64

    static var names: [String] { named.map(\.name) }

    /// "KILL", "SIGKILL", "sigkill" or "9"; nil for what is no signal.
    static func number(_ text: String) -> Int32? {
        if let number = Int32(text) { return (1...highest).contains(number) ? number : nil }
        let upper = text.uppercased()
        let name = upper.hasPrefix("SIG") ? String(upper.dropFirst(3)) : upper
        return named.first { $0.name == name }?.number
    }

    /// "SIGKILL", or the number where there is no name.
    static func name(_ number: Int32) -> String {
        named.first { $0.number == number }.map { "SIG" + $0.name } ?? "signal \(number)"
    }
}
