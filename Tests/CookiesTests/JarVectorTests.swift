// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Foundation
import Testing

@testable import Cookies

/// Every case of the public suites, as RFC 6265bis has it, against the jar.
@Suite struct JarVectorTests {
    @Test(arguments: [
        ("http-state-parser", 148), ("wpt-cookies", 471), ("jar-sequences", 30), ("curl-jar", 6), ("rules", 35),
        ("partitioned-and-http-prefix", 10),
    ]) func everyCasePasses(name: String, count: Int) throws {
        let file = try VectorFile<JarCase>.load(name)
        #expect(file.cases.count == count)
        for vector in file.cases {
            for failure in run(vector, from: file.start) { Issue.record("\(vector.id): \(failure)") }
        }
    }

    /// What went otherwise than expected.
    private func run(_ vector: JarCase, from start: WallTime) -> [String] {
        var jar = CookieJar(suffixes: Vectors.suffixes)
        var failures: [String] = []
        for (number, step) in vector.steps.enumerated() {
            let now = WallTime(milliseconds: start.milliseconds + Int64(((step.at ?? 0) * 1000).rounded()))
            let context = CookieContext(
                isSameSite: step.same_site ?? true, isTopLevelNavigation: step.top_level ?? false,
                hasSafeMethod: CookieContext.isSafe(method: step.method ?? "GET"), isScript: step.via == "script",
                topLevelSite: step.top_site)
            if step.op == "jar" {
                let pairs = jar.all(now: now).map { $0.name.isEmpty ? $0.value : $0.name + "=" + $0.value }.sorted()
                let expected = (step.pairs ?? []).sorted()
                if pairs != expected { failures.append("step \(number): has \(pairs), expected \(expected)") }
                continue
            }
            guard let url = RequestURL(step.url ?? "") else {
                failures.append("step \(number): cannot read \(step.url ?? "")")
                continue
            }
            if step.op == "set" {
                for value in step.set_cookie ?? [] {
                    _ = jar.store(value.bytes, from: url, context: context, now: now)
                }
            } else {
                let sent = jar.headerBytes(for: url, context: context, now: now)
                let wanted = vector.prefer == "upstream" ? step.upstream ?? step.cookie : step.cookie
                if sent != wanted?.bytes {
                    let text = String(decoding: sent.prefix(200), as: UTF8.self)
                    failures.append("step \(number): sends '\(text)', expected '\(wanted?.text.prefix(200) ?? "")'")
                }
            }
        }
        return failures
    }
}

/// Every date, by token rules alone.
@Suite struct DateVectorTests {
    private struct DateCase: Decodable {
        var id: String
        var input: String
        var expect: String?
    }

    @Test func everyDateIsReadOrRejected() throws {
        let file = try VectorFile<DateCase>.load("cookie-dates")
        #expect(file.cases.count == 120)
        for vector in file.cases {
            let expected = vector.expect.flatMap(Vectors.seconds)
            #expect((vector.expect == nil) == (expected == nil), "\(vector.id): the vector itself is unreadable")
            #expect(CookieDate.parse(vector.input.utf8) == expected, "\(vector.id): \(vector.input)")
        }
    }
}
