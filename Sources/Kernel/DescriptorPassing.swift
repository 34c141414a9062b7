internal import CKernel

/// Who is at the other end of a unix socket, as the kernel saw it when they connected: unix(7),
/// SO_PEERCRED.
public struct PeerCredentials: Hashable, Sendable {
  /// The process.
  public let process: Int32
  /// The user that it acted as.
  public let user: UInt32
  /// The group that it acted as.
  public let group: UInt32
}

/// A descriptor that came over a unix socket, with all who hold this as its owners.
public final class PassedDescriptor: Sendable {
  /// The descriptor.
  public let descriptor: Descriptor

  /// Takes a descriptor over.
  public init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }
}

extension Descriptor {
  /// Descriptors that one message may carry, the kernel's SCM_MAX_FD.
  public static let mostPassed = 253

  /// Who is at the other end of a unix socket.
  public borrowing func peerCredentials() throws(Errno) -> PeerCredentials {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
    _ = try check(unsafe adit_peer_credentials(number, &process, &user, &group))
    return PeerCredentials(process: process, user: user, group: group)
  }

  /// Writes bytes, at least one, to a unix socket and copies of descriptors with the first of them.
  public borrowing func send(
    _ bytes: RawSpan, passing descriptors: [PassedDescriptor]
  ) throws(Errno) -> Transfer {
    precondition(!bytes.isEmpty, "descriptors travel with at least one byte")
    let number = self.number
    let numbers = descriptors.map { $0.descriptor.number }
    let result = unsafe bytes.withUnsafeBytes { region in
      unsafe adit_send_descriptors(
        number, region.baseAddress, region.count, numbers, Int32(clamping: numbers.count))
    }
    return try transfer(result)
  }

  /// Reads what is there from a unix socket with the descriptors that came with it, at most
  /// `mostPassed`.
  public borrowing func receive(
    into bytes: inout MutableRawSpan, passed: inout [PassedDescriptor]
  ) throws(Errno) -> Transfer {
    precondition(!bytes.isEmpty, "a read needs room for at least one byte")
    let number = self.number
    var numbers = [Int32](repeating: -1, count: Descriptor.mostPassed)
    var count: Int32 = 0
    let result = unsafe bytes.withUnsafeMutableBytes { region in
      unsafe adit_receive_descriptors(
        number, region.baseAddress, region.count, &numbers, Int32(Descriptor.mostPassed), &count)
    }
    for number in numbers.prefix(Int(count)) {
      passed.append(PassedDescriptor(Descriptor(adopting: number)))
    }
    return try transfer(result)
  }
}
