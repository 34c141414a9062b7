internal import Foundation
internal import Glibc
internal import Kernel

/// Asks the system's name service and waits: for the utilities that are made so.
enum HostLookup {
  static func addresses(of host: String) throws -> [IPAddress] {
    if ["localhost", "loopback"].contains(host) { return [.loopback4, .loopback6] }
    if let literal = IPAddress(host) { return [literal] }
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let failure = unsafe getaddrinfo(host, nil, &hints, &first)
    guard failure == 0 else {
      let sentence = unsafe String(cString: gai_strerror(failure))
      throw NSError(
        domain: "kCFStreamErrorDomainNetDB", code: Int(failure),
        userInfo: [NSLocalizedDescriptionKey: "\(host): \(sentence)"])
    }
    // The list is ours until it is freed.
    defer { unsafe freeaddrinfo(first) }
    var found: [IPAddress] = []
    var next = unsafe first
    while let entry = unsafe next {
      let form = unsafe Data(
        bytes: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
      if case .ip(let address, _)? = SocketAddress(sockaddr: form) { found.append(address) }
      unsafe next = unsafe entry.pointee.ai_next
    }
    return found
  }
}
