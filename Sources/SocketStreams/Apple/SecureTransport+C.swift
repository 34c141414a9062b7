public import Foundation
public import Security

/// A stream's TLS, for code that asks it for the peer's name.
public final class SSLContext: Sendable {
  let peerName: [UInt8]

  init(peerName: String) {
    self.peerName = Array(peerName.utf8)
  }
}

/// The property of a stream's TLS, an ``SSLContext``, to read.
public var kCFStreamPropertySSLContext: CFString { "kCFStreamPropertySSLContext" }

/// Gives the count of bytes of the name that the peer's certificate must be for.
@discardableResult
public func SSLGetPeerDomainNameLength(
  _ context: SSLContext, _ length: UnsafeMutablePointer<Int>
) -> OSStatus {
  // The caller's place for the answer.
  unsafe length.pointee = context.peerName.count
  return errSecSuccess
}

/// Gives the name that the peer's certificate must be for. `length` says how much room there is,
/// and then how much was used.
@discardableResult
public func SSLGetPeerDomainName(
  _ context: SSLContext, _ name: UnsafeMutablePointer<CChar>, _ length: UnsafeMutablePointer<Int>
) -> OSStatus {
  let bytes = context.peerName
  // The caller's count of the room behind `name`.
  guard unsafe length.pointee >= bytes.count else { return errSecParam }
  for (index, byte) in bytes.enumerated() { unsafe name[index] = CChar(bitPattern: byte) }
  unsafe length.pointee = bytes.count
  return errSecSuccess
}
