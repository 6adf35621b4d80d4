// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import ControlTool
import Glibc

exit(ControlTool.run(Array(CommandLine.arguments.dropFirst()), console: .process()).rawValue)
