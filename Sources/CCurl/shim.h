// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot call.
#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

typedef size_t (*relight_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode relight_curl_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}

/// Most strings are copied; CURLOPT_POSTFIELDS is not.
static inline CURLcode relight_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}

/// The list must live until the transfer is over.
static inline CURLcode relight_curl_set_headers(CURL *easy, struct curl_slist *headers) {
    return (curl_easy_setopt)(easy, CURLOPT_HTTPHEADER, headers);
}

/// `error` has room for CURL_ERROR_SIZE bytes; it and `context` must live until the transfer is over.
static inline void relight_curl_set_sinks(
    CURL *easy, relight_curl_sink head, relight_curl_sink body, void *context, char *error) {
    (curl_easy_setopt)(easy, CURLOPT_HEADERFUNCTION, head);
    (curl_easy_setopt)(easy, CURLOPT_HEADERDATA, context);
    (curl_easy_setopt)(easy, CURLOPT_WRITEFUNCTION, body);
    (curl_easy_setopt)(easy, CURLOPT_WRITEDATA, context);
    (curl_easy_setopt)(easy, CURLOPT_PRIVATE, context);
    (curl_easy_setopt)(easy, CURLOPT_ERRORBUFFER, error);
}

static inline void *relight_curl_context(CURL *easy) {
    char *context = (char *)0;
    (curl_easy_getinfo)(easy, CURLINFO_PRIVATE, &context);
    return context;
}

/// Nothing but http and https, under the name that this libcurl has for it.
static inline CURLcode relight_curl_only_http(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return (curl_easy_setopt)(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return (curl_easy_setopt)(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// The next transfer that is over, or NULL.
static inline CURL *relight_curl_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    return (CURL *)0;
}
