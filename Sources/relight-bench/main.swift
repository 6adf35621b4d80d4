// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Bench
import Glibc

exit(BenchCommand.run(Array(CommandLine.arguments.dropFirst())).rawValue)
