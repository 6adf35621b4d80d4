// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

/// The server's half of Varlink, without the socket: turns a client's frame into a checked call of `io.relight` or into
/// the reply that the protocol itself demands, and results into frames.
package enum VarlinkService {
    package enum Outcome: Sendable, Equatable {
        /// Nothing to do but to send this (nil: the client wants no reply), and then to hang up if so told.
        case reply(Varlink.Reply?, closeConnection: Bool)
        /// The parameters decode as the method's parameter type. `events` always comes with `wantsMore`.
        ///
        /// Send no reply if `oneway` is true. One reply is right also where `wantsMore` is true.
        case call(Control.Method, parameters: JSONValue, wantsMore: Bool, oneway: Bool)
    }

    /// What one frame of a client (without its NUL) asks for.
    package static func receive(_ frame: [UInt8], version: String) -> Outcome {
        let call: Varlink.Call
        do {
            call = try JSON.decode(Varlink.Call.self, from: frame)
        } catch {
            // Whoever does not speak the protocol is told so once; what would follow cannot be told apart any more.
            return .reply(malformed("this is not a Varlink call: \(error.description)"), closeConnection: true)
        }
        let oneway = call.oneway ?? false
        let parameters = call.parameters ?? .object([:])
        let (interface, name) = split(call.method)
        switch interface {
        case Control.interface:
            guard let method = Control.Method(rawValue: name) else {
                return answer(.error("MethodNotFound", ["method": call.method]), oneway)
            }
            if let parameter = method.wrongParameter(in: parameters) {
                return answer(.error("InvalidParameter", ["parameter": parameter]), oneway)
            }
            let wantsMore = call.more ?? false
            guard method != .events || wantsMore else { return answer(.error("ExpectedMore", [:]), oneway) }
            return .call(method, parameters: parameters, wantsMore: wantsMore, oneway: oneway)
        case Varlink.serviceInterface:
            return answer(introspect(name, parameters, version), oneway)
        default:
            return answer(.error("InterfaceNotFound", ["interface": interface]), oneway)
        }
    }

    /// A reply frame with a method's result; `continues` if more replies to the same call follow.
    package static func success(_ value: some Encodable, continues: Bool = false) throws(FrameError) -> [UInt8] {
        let parameters = try JSONValue(encoding: value)
        return try JSON.encode(Varlink.Reply(parameters: parameters, continues: continues ? true : nil))
    }

    /// The reply frame of a method that has no result.
    package static func success() -> [UInt8] { encode(Varlink.Reply(parameters: .object([:]))) }

    /// A reply frame with an error of `io.relight`.
    package static func failure(_ failure: Control.Failure, message: String, remedy: String) -> [UInt8] {
        encode(reply(failure, message: message, remedy: remedy))
    }

    /// The frame of a reply that `receive` gave.
    package static func encode(_ reply: Varlink.Reply) -> [UInt8] {
        // A reply is made of strings, flags and parameters that were JSON before, all of which can be written.
        (try? JSON.encode(reply)) ?? Array(#"{"error":"\#(Control.Failure.hostFailed.qualified)"}"#.utf8)
    }

    private static func answer(_ reply: Varlink.Reply, _ oneway: Bool) -> Outcome {
        .reply(oneway ? nil : reply, closeConnection: false)
    }

    private static func malformed(_ message: String) -> Varlink.Reply {
        reply(
            .invalidArgument, message: message,
            remedy: #"send {"method":"io.relight.List","parameters":{}} and a NUL byte, for example"#)
    }

    private static func reply(_ failure: Control.Failure, message: String, remedy: String) -> Varlink.Reply {
        Varlink.Reply(
            parameters: .object(["message": .string(message), "remedy": .string(remedy)]), error: failure.qualified)
    }

    private static func split(_ method: String) -> (interface: String, name: String) {
        guard let dot = method.lastIndex(of: ".") else { return ("", method) }
        return (String(method[..<dot]), String(method[method.index(after: dot)...]))
    }

    private static func introspect(_ name: String, _ parameters: JSONValue, _ version: String) -> Varlink.Reply {
        switch name {
        case "GetInfo":
            return Varlink.Reply(
                parameters: .object([
                    "vendor": .string("Relight"), "product": .string("relightd"), "version": .string(version),
                    "url": .string("https://varlink.org/"),
                    "interfaces": .array([.string(Varlink.serviceInterface), .string(Control.interface)]),
                ]))
        case "GetInterfaceDescription":
            guard let interface = parameters["interface"]?.string else {
                return .error("InvalidParameter", ["parameter": "interface"])
            }
            let description: String
            switch interface {
            case Control.interface: description = Control.description
            case Varlink.serviceInterface: description = Varlink.serviceDescription
            default: return .error("InterfaceNotFound", ["interface": interface])
            }
            return Varlink.Reply(parameters: .object(["description": .string(description)]))
        default:
            return .error("MethodNotFound", ["method": "\(Varlink.serviceInterface).\(name)"])
        }
    }
}

extension Varlink {
    package static let serviceInterface = "org.varlink.service"

    /// The interface that every Varlink service offers.
    package static let serviceDescription = """
        # The Varlink service interface, offered by every service.
        interface org.varlink.service

        # Who answers here, and which interfaces it offers.
        method GetInfo() -> (
          vendor: string, product: string, version: string, url: string, interfaces: []string
        )
        # The description of an interface.
        method GetInterfaceDescription(interface: string) -> (description: string)

        error InterfaceNotFound(interface: string)
        error MethodNotFound(method: string)
        error MethodNotImplemented(method: string)
        error InvalidParameter(parameter: string)
        error PermissionDenied()
        error ExpectedMore()

        """
}

extension Varlink.Reply {
    /// An error of `org.varlink.service`.
    fileprivate static func error(_ name: String, _ parameters: [String: String]) -> Varlink.Reply {
        Varlink.Reply(
            parameters: .object(parameters.mapValues { .string($0) }), error: "\(Varlink.serviceInterface).\(name)")
    }
}

extension Control.Method {
    /// The parameters that the method knows.
    private var parameterNames: Set<String> {
        switch self {
        case .list: []
        case .status, .close, .reload, .snapshot, .screenshot, .listCookies, .incidents, .events: ["view"]
        case .open: ["view", "url", "pool"]
        case .load: ["view", "url"]
        case .evaluate: ["view", "script"]
        case .kill: ["view", "target", "signal"]
        }
    }

    /// The first parameter that is missing, of a wrong type, or unknown; nil if all is well.
    fileprivate func wrongParameter(in parameters: JSONValue) -> String? {
        guard case .object(let fields) = parameters else { return "parameters" }
        if let unknown = fields.keys.filter({ !parameterNames.contains($0) }).min() { return unknown }
        do {
            switch self {
            case .list: break
            case .status, .incidents, .events: _ = try parameters.decoded(as: Control.OptionalViewName.self)
            case .close, .reload, .snapshot, .screenshot, .listCookies:
                _ = try parameters.decoded(as: Control.ViewName.self)
            case .open: _ = try parameters.decoded(as: Control.OpenParameters.self)
            case .load: _ = try parameters.decoded(as: Control.LoadParameters.self)
            case .evaluate: _ = try parameters.decoded(as: Control.EvaluateParameters.self)
            case .kill: _ = try parameters.decoded(as: Control.KillParameters.self)
            }
            return nil
        } catch {
            return error.field ?? "parameters"
        }
    }
}
