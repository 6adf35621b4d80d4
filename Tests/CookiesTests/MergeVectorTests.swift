// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Foundation
import Testing

@testable import Cookies

/// Two workers on copies of one store.
@Suite struct MergeVectorTests {
    private struct MergeCase: Decodable {
        struct Write: Decodable {
            var at: Double
            var url: String
            var set_cookie: [FieldValue]
        }
        struct Query: Decodable {
            var at: Double
            var url: String
            var cookie: FieldValue
        }

        var id: String
        var workers: [[Write]]
        var saved_in_order: [Int]
        var at: Double
        var expect: [String]
        var queries: [Query]
    }

    @Test func theNewestUpdateWinsNotTheLastSave() throws {
        let file = try VectorFile<MergeCase>.load("merge")
        #expect(file.cases.count == 12)
        func time(_ at: Double) -> WallTime {
            WallTime(milliseconds: file.start.milliseconds + Int64((at * 1000).rounded()))
        }
        for vector in file.cases {
            var workers: [CookieJar] = []
            for writes in vector.workers {
                var jar = CookieJar(suffixes: Vectors.suffixes)
                for write in writes {
                    let url = try #require(RequestURL(write.url))
                    for value in write.set_cookie { _ = jar.store(value.bytes, from: url, now: time(write.at)) }
                }
                workers.append(jar)
            }
            var shared = CookieJar(suffixes: Vectors.suffixes)
            for index in vector.saved_in_order { shared.merge(workers[index].updates, now: time(vector.at)) }
            let pairs = shared.all(now: time(vector.at)).map { $0.name + "=" + $0.value }.sorted()
            #expect(pairs == vector.expect.sorted(), "\(vector.id)")
            for query in vector.queries {
                let url = try #require(RequestURL(query.url))
                #expect(
                    shared.headerBytes(for: url, now: time(query.at)) == query.cookie.bytes, "\(vector.id) \(query.at)")
            }
        }
    }
}
