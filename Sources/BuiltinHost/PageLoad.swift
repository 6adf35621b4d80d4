// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import HostKit
import Wire

/// What a load needs from its host: the jar, and somebody to tell.
protocol PageLoadOwner: AnyObject {
    var fetcher: Fetcher { get }
    var limits: BuiltinRenderer.Limits { get }
    func cookieHeader(for address: WebAddress) -> [UInt8]
    func store(_ setCookies: [[UInt8]], from address: WebAddress)
    func loadRedirected(_ load: PageLoad, status: Int)
    func loadCommitted(_ load: PageLoad, status: Int)
    func loadEnded(_ load: PageLoad, failure: String?)
}

/// One page on its way: every redirect is followed here, so that each hop gets and sets cookies of its own.
final class PageLoad: FetchSink {
    let slot: Int
    private(set) var address: WebAddress
    private(set) var status: Int?
    /// What has come of the page so far.
    private(set) var text = PageText(contentType: nil)
    private let bypassesCaches: Bool
    private let deadline: UInt64
    private unowned let owner: any PageLoadOwner
    private var transfer: Transfer?
    private var hops = 0
    private var next: WebAddress?
    /// Why the load fails, found while the response comes.
    private var refusal: String?
    private var received = 0

    init(slot: Int, address: WebAddress, bypassesCaches: Bool, owner: any PageLoadOwner) {
        self.slot = slot
        self.address = address
        self.bypassesCaches = bypassesCaches
        self.owner = owner
        deadline = MonotonicClock.microseconds() + UInt64(owner.limits.loadTime) * 1_000
    }

    func start() {
        let now = MonotonicClock.microseconds()
        guard now < deadline else { return owner.loadEnded(self, failure: tooLate) }
        // Rounded up: 0 would mean no limit.
        let left = Int((deadline - now) / 1_000) + 1
        next = nil
        received = 0
        let request = FetchRequest(
            address: address, cookies: owner.cookieHeader(for: address), bypassesCaches: bypassesCaches,
            connectTimeout: min(owner.limits.connectTime, left), timeout: left)
        transfer = owner.fetcher.start(request, sink: self)
        if transfer == nil { owner.loadEnded(self, failure: "there is not enough memory for a request") }
    }

    /// Ends it without a word to its owner.
    func cancel() {
        if let transfer { owner.fetcher.cancel(transfer) }
        transfer = nil
    }

    private var tooLate: String { "the page was not there within \(owner.limits.loadTime / 1_000) s" }

    func fetchReceived(head: ResponseHead) -> Bool {
        owner.store(head.setCookies, from: address)
        if let location = head.location {
            hops += 1
            if hops > owner.limits.redirects {
                refusal = "there are more than \(owner.limits.redirects) redirects"
            } else if let target = address.redirected(to: location) {
                next = target
            } else {
                refusal = "it redirects to what is no address of http or https"
            }
            status = head.status
            return refusal == nil
        }
        status = head.status
        text = PageText(contentType: head.text("content-type"))
        owner.loadCommitted(self, status: head.status)
        // A picture or an archive has no text; there is no need to fetch it.
        return text.isReadable
    }

    func fetchReceived(body: UnsafeRawBufferPointer) -> Bool {
        received += body.count
        // Of a redirect's body nothing is used, and only a short one is worth waiting for.
        if next != nil { return received <= 64 << 10 }
        guard received <= owner.limits.responseSize else {
            refusal = "the response is larger than \(owner.limits.responseSize >> 20) MiB"
            return false
        }
        text.feed(body)
        return true
    }

    func fetchEnded(_ failure: String?) {
        transfer = nil
        if let failure = failure ?? refusal { return owner.loadEnded(self, failure: failure) }
        if let next {
            address = next
            owner.loadRedirected(self, status: status ?? 0)
            return start()
        }
        text.finish()
        owner.loadEnded(self, failure: nil)
    }
}
