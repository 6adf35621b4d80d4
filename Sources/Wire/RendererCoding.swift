// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// Reads and writes the `type` of a message; its fields stand beside it in the same object.

private enum ScalarKey: String, CodingKey { case type, sequence, count, slot }

extension HostMessage {
    private enum Kind: String, Codable {
        case hello, slotReady, slotLost, processes, networkLost, navigation, progress, cookies, pageState, picture,
            pong, reply, log
    }

    package var descriptorCount: Int {
        switch self {
        case .picture: 1
        case .reply(let reply): reply.hasDescriptor ? 1 : 0
        default: 0
        }
    }

    package init(from decoder: any Decoder) throws {
        switch try decoder.messageKind(Kind.self) {
        case .hello: self = .hello(try Hello(from: decoder))
        case .slotReady: self = .slotReady(try SlotReady(from: decoder))
        case .slotLost: self = .slotLost(try SlotLost(from: decoder))
        case .processes: self = .processes(try Processes(from: decoder))
        case .networkLost: self = .networkLost(try NetworkLost(from: decoder))
        case .navigation: self = .navigation(try Navigation(from: decoder))
        case .progress: self = .progress(try Progress(from: decoder))
        case .cookies: self = .cookies(try CookieReport(from: decoder))
        case .pageState: self = .pageState(try PageStateReport(from: decoder))
        case .picture: self = .picture(try Picture(from: decoder))
        case .pong: self = .pong(try Pong(from: decoder))
        case .reply: self = .reply(try Reply(from: decoder))
        case .log: self = .log(try Log(from: decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        let (kind, fields): (Kind, any Encodable) =
            switch self {
            case .hello(let fields): (.hello, fields)
            case .slotReady(let fields): (.slotReady, fields)
            case .slotLost(let fields): (.slotLost, fields)
            case .processes(let fields): (.processes, fields)
            case .networkLost(let fields): (.networkLost, fields)
            case .navigation(let fields): (.navigation, fields)
            case .progress(let fields): (.progress, fields)
            case .cookies(let fields): (.cookies, fields)
            case .pageState(let fields): (.pageState, fields)
            case .picture(let fields): (.picture, fields)
            case .pong(let fields): (.pong, fields)
            case .reply(let fields): (.reply, fields)
            case .log(let fields): (.log, fields)
            }
        try encoder.write(kind: kind, fields: fields)
    }
}

extension SupervisorMessage {
    private enum Kind: String, Codable {
        case welcome, setCookies, cookiesStored, warm, bind, release, navigate, evaluate, screenshot, capture, ping,
            curtain, stop
    }

    package var descriptorCount: Int {
        if case .curtain = self { 1 } else { 0 }
    }

    package init(from decoder: any Decoder) throws {
        func scalar<T: Decodable>(_ key: ScalarKey, _ type: T.Type) throws -> T {
            try decoder.container(keyedBy: ScalarKey.self).decode(type, forKey: key)
        }
        switch try decoder.messageKind(Kind.self) {
        case .welcome: self = .welcome(try Welcome(from: decoder))
        case .setCookies: self = .setCookies(try SetCookies(from: decoder))
        case .cookiesStored: self = .cookiesStored(sequence: try scalar(.sequence, UInt64.self))
        case .warm: self = .warm(count: try scalar(.count, Int.self))
        case .bind: self = .bind(try Bind(from: decoder))
        case .release: self = .release(slot: try scalar(.slot, Int.self))
        case .navigate: self = .navigate(try Navigate(from: decoder))
        case .evaluate: self = .evaluate(try Evaluate(from: decoder))
        case .screenshot: self = .screenshot(try Request(from: decoder))
        case .capture: self = .capture(try Request(from: decoder))
        case .ping: self = .ping(sequence: try scalar(.sequence, UInt64.self))
        case .curtain: self = .curtain(try HostMessage.Picture(from: decoder))
        case .stop: self = .stop
        }
    }

    package func encode(to encoder: any Encoder) throws {
        let (kind, fields): (Kind, any Encodable) =
            switch self {
            case .welcome(let fields): (.welcome, fields)
            case .setCookies(let fields): (.setCookies, fields)
            case .cookiesStored(let sequence): (.cookiesStored, ["sequence": sequence])
            case .warm(let count): (.warm, ["count": count])
            case .bind(let fields): (.bind, fields)
            case .release(let slot): (.release, ["slot": slot])
            case .navigate(let fields): (.navigate, fields)
            case .evaluate(let fields): (.evaluate, fields)
            case .screenshot(let fields): (.screenshot, fields)
            case .capture(let fields): (.capture, fields)
            case .ping(let sequence): (.ping, ["sequence": sequence])
            case .curtain(let fields): (.curtain, fields)
            case .stop: (.stop, [String: String]())
            }
        try encoder.write(kind: kind, fields: fields)
    }
}

extension Decoder {
    /// The message's type; an unknown one is an error that names it.
    fileprivate func messageKind<K: RawRepresentable<String>>(_ kind: K.Type) throws -> K {
        let name = try container(keyedBy: ScalarKey.self).decode(String.self, forKey: .type)
        guard let kind = K(rawValue: name) else {
            throw FrameError(.unknownType, "there is no message of type '\(name.prefix(64))'")
        }
        return kind
    }
}

extension Encoder {
    fileprivate func write(kind: some RawRepresentable<String>, fields: any Encodable) throws {
        try fields.encode(to: self)
        var container = container(keyedBy: ScalarKey.self)
        try container.encode(kind.rawValue, forKey: .type)
    }
}
