// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

import Cookies
import Testing

@testable import Wire

/// The control protocol's types: they come back equal, and their keys are those that scripts rely on.
struct ControlProtocolTests {
    private static let mark = Control.Incident.Mark(step: "died", offset: -5, detail: "d")
    private static let incident = Control.Incident(
        id: "ab", view: "v", pool: "p", cause: "hostExited", openedAt: 1, closedAt: 2, outcome: "recovered",
        path: "standby", hostPID: 3, contentPID: 4, attempts: 5, timeline: [mark])
    private static let view = Control.View(
        name: "v", pool: "p", state: .quarantined, url: "u", title: "t", renderer: "webkit", slot: 1, hostPID: 2,
        contentPID: 3, networkPID: 4, incidents: 5, since: 6, snapshotAt: 7, cookies: 8)
    private static let host = Control.Host(
        pid: 1, pool: "p", renderer: "webkit", role: "standby", warmSlots: 2, boundSlots: 3, networkPID: 4,
        helperPIDs: [5])
    private static let event = Control.Event(
        kind: "incidentClosed", at: 1, view: "v", pool: "p", message: "m", incident: incident)

    private func keys(_ value: some Encodable) throws -> Set<String> {
        guard case .object(let fields) = try JSONValue(encoding: value) else { return [] }
        return Set(fields.keys)
    }

    /// The fields of a type in the interface's description: "type View ( name: string, … )".
    private func described(_ type: String) throws -> Set<String> {
        let parts = Control.description.split(separator: "type \(type) (", maxSplits: 1)
        let body = try #require(parts.last)
        var depth = 1
        var flat = ""
        for character in body {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth == 0 { break }
            if depth == 1 && character != ")" { flat.append(character) }
        }
        return Set(
            flat.split(separator: ",").compactMap { field in
                field.split(separator: ":").first.map { $0.filter { !$0.isWhitespace } }
            })
    }

    @Test func typesHaveTheFieldsThatTheDescriptionTells() throws {
        #expect(try keys(Self.view) == described("View"))
        #expect(try keys(Self.host) == described("Host"))
        #expect(try keys(Self.mark) == described("Mark"))
        #expect(try keys(Self.incident) == described("Incident"))
        #expect(try keys(Self.event) == described("Event"))
        #expect(try keys(Samples.cookie) == described("Cookie"))
    }

    @Test func typesComeBackEqual() throws {
        func again<T: Codable>(_ value: T) throws -> T { try JSON.decode(T.self, from: JSON.encode(value)) }
        #expect(try again(Self.view) == Self.view)
        #expect(try again(Self.host) == Self.host)
        #expect(try again(Self.incident) == Self.incident)
        #expect(try again(Self.event) == Self.event)
        #expect(try again(Samples.cookie) == Samples.cookie)
        let bare = Control.View(name: "v", pool: "p", state: .starting, url: "u", renderer: "builtin")
        #expect(try again(bare) == bare)
        let call = Varlink.Call(method: "a.B", parameters: .object(["x": .integer(.min)]), oneway: true, more: false)
        #expect(try again(call) == call)
    }

    @Test func absentValuesAreLeftOut() throws {
        let open = Control.Incident(id: "ab", view: "v", pool: "p", cause: "memory", openedAt: 1)
        #expect(try keys(open).isDisjoint(with: ["closedAt", "outcome", "path", "hostPID", "contentPID"]))
        // An explicit null says the same.
        let text =
            #"{"id":"ab","view":"v","pool":"p","cause":"memory","openedAt":1,"closedAt":null,"attempts":0,"timeline":[]}"#
        #expect(try JSON.decode(Control.Incident.self, from: Array(text.utf8)) == open)
    }

    @Test(arguments: [
        "null", "true", "-9223372036854775808", "9223372036854775807", "0.1", "1e300", "\"\\u0000é\\ud83c\\udf6a\"",
        "[]",
        "{}", "[[{\"a\":[1,2.5,null,false,\"\"]}]]", "12345678901234567890",
    ])
    func anyJSONComesBackEqual(_ text: String) throws {
        let value = try JSON.decode(JSONValue.self, from: Array(text.utf8))
        #expect(try JSON.decode(JSONValue.self, from: JSON.encode(value)) == value)
    }

    @Test(arguments: [
        "", "nul", "[,1]", "{\"a\"}", "{a:1}", "'a'", "01", "1 2", "\"\\x\"", "\"\\ud800\"", "[", "NaN", "+1",
    ])
    func whatIsNoJSONIsRefused(_ text: String) {
        #expect(throws: FrameError.self) { try JSON.decode(JSONValue.self, from: Array(text.utf8)) }
    }

    @Test func numbersThatCannotBeWrittenAreErrors() {
        #expect(throws: FrameError.self) { try JSON.encode(JSONValue.number(.infinity)) }
        #expect(throws: FrameError.self) { try VarlinkService.success(["value": Double.nan]) }
    }
}
