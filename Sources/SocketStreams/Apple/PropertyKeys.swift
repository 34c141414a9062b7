public import Foundation
public import Security

extension Stream.PropertyKey {
  /// The key of that name.
  public init(_ name: CFString) {
    self.init(rawValue: name as String)
  }

  /// The key of that name.
  public init(rawValue name: CFString) {
    self.init(rawValue: name as String)
  }

  /// The certificates that are trusted in the place of the system's, a list of `SecCertificate`.
  /// Darwin has no such key.
  public static var trustAnchors: Stream.PropertyKey {
    Stream.PropertyKey(rawValue: "AditStreamTrustAnchors")
  }
  /// The bytes of the socket's descriptor.
  public static var socketNativeHandle: Stream.PropertyKey {
    Stream.PropertyKey(rawValue: "kCFStreamPropertySocketNativeHandle")
  }
  /// The host's name.
  public static var socketRemoteHostName: Stream.PropertyKey {
    Stream.PropertyKey(rawValue: "kCFStreamPropertySocketRemoteHostName")
  }
  /// The host's port.
  public static var socketRemotePortNumber: Stream.PropertyKey {
    Stream.PropertyKey(rawValue: "kCFStreamPropertySocketRemotePortNumber")
  }
}

/// Makes `kCFStreamPropertySSLSettings as Stream.PropertyKey` compile, as on Darwin.
extension Stream.PropertyKey: @retroactive _ObjectiveCBridgeable {
  /// The key's name.
  public func _bridgeToObjectiveC() -> NSString { rawValue as NSString }

  /// The key of a name.
  public static func _forceBridgeFromObjectiveC(
    _ name: NSString, result: inout Stream.PropertyKey?
  ) {
    result = Stream.PropertyKey(rawValue: name as String)
  }

  /// The key of a name; every name is one.
  public static func _conditionallyBridgeFromObjectiveC(
    _ name: NSString, result: inout Stream.PropertyKey?
  ) -> Bool {
    result = Stream.PropertyKey(rawValue: name as String)
    return true
  }

  /// The key of a name.
  public static func _unconditionallyBridgeFromObjectiveC(
    _ name: NSString?
  ) -> Stream.PropertyKey {
    Stream.PropertyKey(rawValue: name.map { $0 as String } ?? "")
  }
}
