// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CurtainHost

CurtainHost.run()
