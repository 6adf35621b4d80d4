// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

// SQLITE_TRANSIENT is a cast that the importer drops, and sqlite3_db_config is variadic.
#pragma once
#include <sqlite3.h>

static inline int relight_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int relight_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Makes a file with a hostile schema harmless: no writing to the schema table, no functions called by it.
static inline int relight_sqlite_harden(sqlite3 *database) {
    int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (result != SQLITE_OK) return result;
    return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

/// Whether closing moves the log into the main file and removes it.
static inline int relight_sqlite_checkpoint_on_close(sqlite3 *database, int on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !on, (int *)0);
}
