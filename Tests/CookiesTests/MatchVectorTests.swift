// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Foundation
import Testing

@testable import Cookies

/// Hosts, paths and public suffixes.
@Suite struct MatchVectorTests {
    private struct MatchCase: Decodable {
        var id: String
        var kind: String
        var request_path: String?
        var cookie_path: String?
        var host: String?
        var domain: String?
        var input: String?
        var expect: Expectation
    }

    private enum Expectation: Decodable, Equatable {
        case truth(Bool)
        case text(String)
        case cookie(domain: String, isHostOnly: Bool)
        case none

        private struct Domain: Decodable {
            var domain: String
            var host_only: Bool
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .none
            } else if let truth = try? container.decode(Bool.self) {
                self = .truth(truth)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                let value = try container.decode(Domain.self)
                self = .cookie(domain: value.domain, isHostOnly: value.host_only)
            }
        }
    }

    @Test func everyMatchIsRight() throws {
        let file = try VectorFile<MatchCase>.load("match-vectors")
        #expect(file.cases.count == 72)
        for vector in file.cases {
            #expect(try result(of: vector) == vector.expect, "\(vector.id)")
        }
    }

    private func result(of vector: MatchCase) throws -> Expectation {
        switch vector.kind {
        case "path-match":
            return .truth(
                RequestURL.matches(
                    path: vector.request_path ?? "", cookiePath: vector.cookie_path ?? ""))
        case "domain-match":
            let host = try #require(HostName.canonical(vector.host ?? ""))
            var domain = try #require(HostName.canonical(vector.domain ?? ""))
            if domain.hasPrefix(".") { domain.removeFirst() }
            return .truth(HostName.matches(host: host, domain: domain))
        case "default-path":
            return .text(RequestURL.defaultPath(of: vector.input ?? ""))
        case "canonical-host":
            return HostName.canonical(vector.input ?? "").map(Expectation.text) ?? .none
        case "domain-attribute":
            var jar = CookieJar(suffixes: Vectors.suffixes)
            let url = RequestURL(scheme: "http", host: vector.host ?? "", path: "/")
            let field = "a=b; Domain=" + (vector.domain ?? "")
            let outcome = jar.store(Array(field.utf8), from: url, now: WallTime(seconds: 0))
            guard case .stored(let cookie, _) = outcome else { return .none }
            return .cookie(domain: cookie.domain, isHostOnly: cookie.isHostOnly)
        default:
            Issue.record("\(vector.id): unknown kind \(vector.kind)")
            return .none
        }
    }

    /// With the rules the vectors came with; `prefer` and `upstream` only concern libpsl's own reading.
    @Test func everySuffixIsKnown() throws {
        let file = try VectorFile<MatchCase>.load("psl")
        #expect(file.cases.count == 86)
        for vector in file.cases {
            #expect(try suffixResult(of: vector, Vectors.suffixes) == vector.expect, "\(vector.id)")
        }
    }

    /// libpsl's list is newer or older than the vectors', and counts parents of wildcard rules as suffixes.
    @Test func theBuiltinListAgrees() throws {
        let file = try VectorFile<MatchCase>.load("psl")
        let differing: Set = ["psl/p024", "psl/p026"]
        for vector in file.cases where !differing.contains(vector.id) {
            #expect(try suffixResult(of: vector, BuiltinPublicSuffixList()) == vector.expect, "\(vector.id)")
        }
    }

    private func suffixResult(of vector: MatchCase, _ suffixes: any PublicSuffixList) throws -> Expectation {
        switch vector.kind {
        case "registrable-domain":
            let input = vector.input ?? ""
            let host = try #require(HostName.canonical(input))
            guard let domain = suffixes.registrableDomain(of: host) else { return .none }
            // The vectors give the answer in the notation of the question.
            let labels = input.lowercased().split(separator: ".").suffix(domain.split(separator: ".").count)
            return .text(labels.joined(separator: "."))
        case "is-public-suffix":
            var domain = try #require(HostName.canonical(vector.input ?? ""))
            if domain.hasPrefix(".") { domain.removeFirst() }
            return .truth(suffixes.isPublicSuffix(domain))
        case "cookie-domain-acceptable":
            let host = vector.host ?? ""
            var domain = vector.domain ?? ""
            if domain.hasPrefix(".") { domain.removeFirst() }
            return .truth(suffixes.isAcceptable(domain: domain, for: host))
        default:
            Issue.record("\(vector.id): unknown kind \(vector.kind)")
            return .none
        }
    }
}
