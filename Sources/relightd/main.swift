// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Daemon
import Glibc

exit(Daemon.main(arguments: CommandLine.arguments))
