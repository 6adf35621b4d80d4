// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

// GTK 4 as Swift needs it: casts and macros as functions, no variadic calls.
#pragma once
#include <glib-unix.h>
#include <malloc.h>
#include <gtk/gtk.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/x11/gdkx.h>
#endif

/// Keeps the memory of drawn frames for the next ones: given back to the kernel after each, it would be cleared and
/// mapped anew page by page, which takes longer than the drawing.
static inline void relight_keep_frame_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
}

// MARK: Signals

/// Called for every emission: the arguments include the emitting object; `result` is NULL for a signal without one.
typedef void (*relight_signal_function)(GValue *result, guint count, const GValue *arguments, gpointer data);

static inline void relight_signal_marshal(GClosure *closure, GValue *result, guint count, const GValue *arguments,
                                          gpointer hint, gpointer function)
{
    ((relight_signal_function)function)(result, count, arguments, closure->data);
}

/// Connects `function`; `destroy` is called with `data` when the connection ends. Returns the handler's number.
static inline gulong relight_signal_connect(gpointer object, const char *signal, relight_signal_function function,
                                            gpointer data, GClosureNotify destroy)
{
    GClosure *closure = g_closure_new_simple(sizeof(GClosure), data);
    g_closure_set_meta_marshal(closure, (gpointer)function, relight_signal_marshal);
    g_closure_add_finalize_notifier(closure, data, destroy);
    return g_signal_connect_closure(object, signal, closure, FALSE);
}

static inline gboolean relight_value_is_boolean(const GValue *value) { return G_VALUE_HOLDS_BOOLEAN(value); }
static inline gpointer relight_value_pointer(const GValue *value) { return g_value_peek_pointer(value); }

// MARK: Casts

static inline GtkWindow *relight_window(GtkWidget *widget) { return GTK_WINDOW(widget); }
static inline GdkPaintable *relight_paintable(gpointer object) { return GDK_PAINTABLE(object); }
static inline GtkPicture *relight_picture(GtkWidget *widget) { return GTK_PICTURE(widget); }

/// The surface of a realised window, or NULL.
static inline GdkSurface *relight_window_surface(GtkWidget *window) { return gtk_native_get_surface(GTK_NATIVE(window)); }
static inline GskRenderer *relight_window_renderer(GtkWidget *window) { return gtk_native_get_renderer(GTK_NATIVE(window)); }

/// Puts a child into an overlay as its lowest layer; gtk_overlay_add_overlay() puts it on top.
static inline void relight_overlay_add_lowest(GtkWidget *overlay, GtkWidget *child)
{
    gtk_widget_insert_after(child, overlay, NULL);
}

static inline void relight_overlay_add_top(GtkWidget *overlay, GtkWidget *child)
{
    gtk_overlay_add_overlay(GTK_OVERLAY(overlay), child);
}

/// Draws a paintable at its own size into a texture, or NULL if it is empty.
static inline GdkTexture *relight_render(GskRenderer *renderer, GdkPaintable *paintable)
{
    int width = gdk_paintable_get_intrinsic_width(paintable);
    int height = gdk_paintable_get_intrinsic_height(paintable);
    if (width <= 0 || height <= 0)
        return NULL;
    GtkSnapshot *snapshot = gtk_snapshot_new();
    gdk_paintable_snapshot(paintable, snapshot, width, height);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    if (node == NULL)
        return NULL;
    GdkTexture *texture = gsk_renderer_render_texture(renderer, node, &GRAPHENE_RECT_INIT(0, 0, width, height));
    gsk_render_node_unref(node);
    return texture;
}

// MARK: X11 (every function does nothing on other displays)

/// Whether the display is an X server without a window manager, where windows lie where and how they are put.
static inline gboolean relight_display_is_bare_x11(GdkDisplay *display)
{
#ifdef GDK_WINDOWING_X11
    if (GDK_IS_X11_DISPLAY(display)) {
        G_GNUC_BEGIN_IGNORE_DEPRECATIONS
        const char *name = gdk_x11_screen_get_window_manager_name(gdk_x11_display_get_screen(display));
        G_GNUC_END_IGNORE_DEPRECATIONS
        return name == NULL || strcmp(name, "unknown") == 0;
    }
#endif
    return FALSE;
}

static inline gboolean relight_display_is_x11(GdkDisplay *display)
{
#ifdef GDK_WINDOWING_X11
    return GDK_IS_X11_DISPLAY(display);
#else
    return FALSE;
#endif
}

/// Lets what the X server uncovers keep the pixels that were there until the window draws, instead of a flash of colour.
static inline void relight_surface_clear_background(GdkSurface *surface)
{
#ifdef GDK_WINDOWING_X11
    if (GDK_IS_X11_SURFACE(surface))
        XSetWindowBackgroundPixmap(gdk_x11_display_get_xdisplay(gdk_surface_get_display(surface)),
                                   gdk_x11_surface_get_xid(surface), None);
#endif
}

static inline void relight_surface_lower(GdkSurface *surface)
{
#ifdef GDK_WINDOWING_X11
    if (GDK_IS_X11_SURFACE(surface))
        XLowerWindow(gdk_x11_display_get_xdisplay(gdk_surface_get_display(surface)), gdk_x11_surface_get_xid(surface));
#endif
}

static inline void relight_surface_raise(GdkSurface *surface)
{
#ifdef GDK_WINDOWING_X11
    if (GDK_IS_X11_SURFACE(surface))
        XRaiseWindow(gdk_x11_display_get_xdisplay(gdk_surface_get_display(surface)), gdk_x11_surface_get_xid(surface));
#endif
}

static inline void relight_surface_move(GdkSurface *surface, int x, int y)
{
#ifdef GDK_WINDOWING_X11
    if (GDK_IS_X11_SURFACE(surface))
        XMoveWindow(gdk_x11_display_get_xdisplay(gdk_surface_get_display(surface)), gdk_x11_surface_get_xid(surface), x,
                    y);
#endif
}
