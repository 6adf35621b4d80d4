// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The commands, in the order of help.
enum Commands {
    static let all: [Command] =
        viewCommands + pageCommands + [cookiesList, kill, incidents, events, check, explain]
}
