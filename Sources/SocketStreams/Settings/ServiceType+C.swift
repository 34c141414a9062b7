internal import Foundation
internal import Glibc
internal import Kernel

/// What a connection carries, for whoever has to choose between packets.
enum ServiceType: Hashable, Sendable {
  case background
  case video
  case voice
  case callSignalling

  init?(_ name: String) {
    switch name {
    case "kCFStreamNetworkServiceTypeBackground": self = .background
    case "kCFStreamNetworkServiceTypeVideo": self = .video
    case "kCFStreamNetworkServiceTypeVoice": self = .voice
    case "kCFStreamNetworkServiceTypeVoIP", "kCFStreamNetworkServiceTypeCallSignaling":
      self = .callSignalling
    default: return nil
    }
  }

  /// The field of IP's header: RFC 4594's classes.
  private var trafficClass: Int32 {
    switch self {
    case .background: 8 << 2
    case .video: 34 << 2
    case .voice: 46 << 2
    case .callSignalling: 40 << 2
    }
  }

  /// SO_PRIORITY: the order in this machine's queues.
  private var priority: Int32 {
    switch self {
    case .background: 2
    case .video: 5
    case .voice: 6
    case .callSignalling: 4
    }
  }

  /// Marks a socket's packets. A socket of another kind refuses, and nothing is lost by that.
  func apply(to socket: borrowing Descriptor) {
    let number = socket.number
    ServiceType.set(number, Int32(IPPROTO_IP), IP_TOS, trafficClass)
    ServiceType.set(number, Int32(IPPROTO_IPV6), IPV6_TCLASS, trafficClass)
    ServiceType.set(number, SOL_SOCKET, SO_PRIORITY, priority)
  }

  private static func set(_ number: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    // The kernel reads one Int32.
    _ = unsafe setsockopt(number, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
