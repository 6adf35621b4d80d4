// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The Varlink protocol (varlink.org), as far as a service and a client need it.
package enum Varlink {
    /// The longest call accepted from a client, in bytes.
    package static let callLimit = 4 << 20

    package struct Call: Sendable, Equatable, Codable {
        package var method: String
        package var parameters: JSONValue?
        /// The client wants no reply.
        package var oneway: Bool?
        /// The client takes more than one reply.
        package var more: Bool?

        package init(method: String, parameters: JSONValue? = nil, oneway: Bool? = nil, more: Bool? = nil) {
            self.method = method
            self.parameters = parameters
            self.oneway = oneway
            self.more = more
        }
    }

    package struct Reply: Sendable, Equatable, Codable {
        package var parameters: JSONValue?
        /// More replies follow.
        package var continues: Bool?
        /// The qualified name of an error.
        package var error: String?

        package init(parameters: JSONValue? = nil, continues: Bool? = nil, error: String? = nil) {
            self.parameters = parameters
            self.continues = continues
            self.error = error
        }
    }
}

extension JSONValue {
    /// Any encodable value as a JSON value.
    package init(encoding value: some Encodable) throws(FrameError) {
        self = try JSON.decode(JSONValue.self, from: JSON.encode(value))
    }

    /// This value as a type of the control protocol; the error names the field that does not fit.
    package func decoded<T: Decodable>(as type: T.Type) throws(FrameError) -> T {
        try JSON.decode(type, from: JSON.encode(self))
    }
}
