// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors
#pragma once
#include <systemd/sd-event.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-id128.h>
