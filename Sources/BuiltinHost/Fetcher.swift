// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import CCurl
import Platform
import Glibc

/// One request.
struct FetchRequest {
    let address: WebAddress
    /// The value of the Cookie header; empty for none.
    let cookies: [UInt8]
    /// Ask servers and proxies on the way not to answer from a cache.
    let bypassesCaches: Bool
    /// Milliseconds.
    let connectTimeout: Int
    let timeout: Int
}

/// Takes a response while it comes. Called during `Fetcher.perform()`; must not start or stop transfers meanwhile,
/// except in `fetchEnded`.
protocol FetchSink: AnyObject {
    /// False ends the transfer, which then counts as complete.
    func fetchReceived(head: ResponseHead) -> Bool
    /// False ends the transfer, which then counts as complete.
    func fetchReceived(body: UnsafeRawBufferPointer) -> Bool
    /// Nil if all is there, else why not.
    func fetchEnded(_ failure: String?)
}

/// Requests over libcurl's multi interface: any number at once, none of which blocks.
///
/// Nothing is kept while there is nothing to fetch, so that an idle host is small.
final class Fetcher {
    private var multi: UnsafeMutableRawPointer?
    private var transfers: [ObjectIdentifier: Transfer] = [:]
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    var isIdle: Bool { transfers.isEmpty }

    /// Starts a request; nil if it cannot be started, for want of memory.
    func start(_ request: FetchRequest, sink: any FetchSink) -> Transfer? {
        guard Self.isReady else { return nil }
        if multi == nil { multi = curl_multi_init() }
        guard let multi, let transfer = Transfer(request, sink: sink) else { return nil }
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else { return nil }
        transfers[ObjectIdentifier(transfer)] = transfer
        return transfer
    }

    /// Ends a request without a word to its sink.
    func cancel(_ transfer: Transfer) {
        guard transfers.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return }
        curl_multi_remove_handle(multi, transfer.easy)
    }

    /// Waits until a transfer or `fd` has something to do. Without transfers that may be for ever, at no cost.
    func wait(fd: Int32, forWriting: Bool) {
        guard let multi, !transfers.isEmpty else {
            release()
            var watched = pollfd(fd: fd, events: Int16(forWriting ? POLLIN | POLLOUT : POLLIN), revents: 0)
            poll(&watched, 1, -1)
            return
        }
        let events = forWriting ? CURL_WAIT_POLLIN | CURL_WAIT_POLLOUT : CURL_WAIT_POLLIN
        var watched = curl_waitfd(fd: fd, events: Int16(events), revents: 0)
        // libcurl comes back earlier when one of its own deadlines is due.
        curl_multi_poll(multi, &watched, 1, 60_000, nil)
    }

    /// Does what can be done without waiting, and tells sinks of the ends.
    func perform() {
        guard let multi, !transfers.isEmpty else { return }
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        var result = CURLE_OK
        while let easy = relight_curl_finished(multi, &result) {
            guard let context = relight_curl_context(easy) else { continue }
            let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            cancel(transfer)
            transfer.end(result)
        }
    }

    private func release() {
        guard let multi else { return }
        curl_multi_cleanup(multi)
        self.multi = nil
        Heap.trim()
    }

    deinit {
        for transfer in Array(transfers.values) { cancel(transfer) }
        release()
    }
}

/// One request under way.
final class Transfer {
    /// The most bytes of a response's head.
    private static let headLimit = 256 << 10

    let easy: UnsafeMutableRawPointer
    private weak var sink: (any FetchSink)?
    private let errorText: UnsafeMutablePointer<CChar>
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var reader = ResponseHeadReader()
    private var headBytes = 0
    /// The sink wants no more.
    private var isCutShort = false

    fileprivate init?(_ request: FetchRequest, sink: any FetchSink) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.sink = sink
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setOptions(request)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headers)
        errorText.deallocate()
    }

    private func setOptions(_ request: FetchRequest) {
        relight_curl_set_sinks(
            easy,
            { bytes, size, count, context in
                Transfer.from(context)?.receive(head: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            },
            { bytes, size, count, context in
                Transfer.from(context)?.receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            }, Unmanaged.passUnretained(self).toOpaque(), errorText)
        relight_curl_only_http(easy)
        relight_curl_set_string(easy, CURLOPT_URL, request.address.text)
        relight_curl_set_string(easy, CURLOPT_USERAGENT, BuiltinRenderer.userAgent)
        // All encodings that libcurl undoes.
        relight_curl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "")
        relight_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        relight_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        relight_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        relight_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout)
        relight_curl_set_long(easy, CURLOPT_TIMEOUT_MS, request.timeout)
        // The variables that OpenSSL's own programs and curl read.
        for (variable, option) in [("SSL_CERT_FILE", CURLOPT_CAINFO), ("SSL_CERT_DIR", CURLOPT_CAPATH)] {
            if let value = getenv(variable) { relight_curl_set_string(easy, option, value) }
        }
        add(header: "Accept: text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.8")
        if request.bypassesCaches {
            add(header: "Cache-Control: no-cache")
            add(header: "Pragma: no-cache")
        }
        relight_curl_set_headers(easy, headers)
        if !request.cookies.isEmpty {
            let value = request.cookies.map { CChar(bitPattern: $0) } + [0]
            relight_curl_set_string(easy, CURLOPT_COOKIE, value)
        }
    }

    private func add(header: String) {
        if let longer = curl_slist_append(headers, header) { headers = longer }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// One line of a head. A return value other than the count ends the transfer.
    private func receive(head line: UnsafeRawBufferPointer) -> Int {
        headBytes += line.count
        guard headBytes <= Self.headLimit else { return 0 }
        if let head = reader.receive(line: line), let sink {
            isCutShort = !sink.fetchReceived(head: head)
        }
        return isCutShort ? 0 : line.count
    }

    private func receive(body: UnsafeRawBufferPointer) -> Int {
        guard let sink, sink.fetchReceived(body: body) else {
            isCutShort = true
            return 0
        }
        return body.count
    }

    fileprivate func end(_ result: CURLcode) {
        guard result != CURLE_OK, !isCutShort else { sink?.fetchEnded(nil); return }
        if headBytes > Self.headLimit {
            return sink?.fetchEnded("the response's head is larger than \(Self.headLimit) bytes") ?? ()
        }
        let text = String(cString: errorText)
        sink?.fetchEnded(text.isEmpty ? String(cString: curl_easy_strerror(result)) : text)
    }
}
