// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

// WebKitGTK 6.0 as Swift needs it: property constructors and casts as functions. GTK itself is in CGTK.
#pragma once
#include <webkit/webkit.h>

/// A web view of a network session, with a user content manager and settings of its own; the reference is floating.
static inline GtkWidget *relight_web_view_new(WebKitNetworkSession *session, WebKitUserContentManager *manager,
                                              WebKitSettings *settings)
{
    return GTK_WIDGET(g_object_new(WEBKIT_TYPE_WEB_VIEW, "network-session", session, "user-content-manager", manager,
                                   "settings", settings, NULL));
}

static inline WebKitWebView *relight_web_view(GtkWidget *widget) { return WEBKIT_WEB_VIEW(widget); }

static inline void relight_free_cookies(GList *cookies) { g_list_free_full(cookies, (GDestroyNotify)soup_cookie_free); }
