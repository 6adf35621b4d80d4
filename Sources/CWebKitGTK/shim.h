// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors
#pragma once
#include <webkit/webkit.h>
