internal import CAres
internal import Glibc
internal import Kernel

extension BinaryInteger {
  /// c-ares's status macros come as `Int32`, its functions return `Int32`.
  var code: Int32 { Int32(truncatingIfNeeded: self) }
}

extension FamilyReply {
  /// Addresses taken from one reply: no one tries more, and a reply over TCP may hold thousands.
  static let addressLimit = 64

  /// Reads the bytes of a server's reply to a question of one family.
  init(
    _ family: AddressFamily, status: Int32, bytes: UnsafeMutablePointer<UInt8>?, count: Int32
  ) {
    guard status == ARES_SUCCESS.code else {
      self = .failed(ResolutionFailure(status: status))
      return
    }
    switch family {
    case .v4: unsafe self.init(bytes4: bytes, count: count)
    case .v6: unsafe self.init(bytes6: bytes, count: count)
    }
  }

  private init(bytes4 bytes: UnsafeMutablePointer<UInt8>?, count: Int32) {
    var records = [ares_addrttl](repeating: ares_addrttl(), count: FamilyReply.addressLimit)
    var found = Int32(records.count)
    // c-ares writes at most `found` records and says how many it wrote.
    let status = unsafe ares_parse_a_reply(bytes, count, nil, &records, &found)
    guard status == ARES_SUCCESS.code else {
      self = .failed(ResolutionFailure(status: status))
      return
    }
    let used = records.prefix(Int(found))
    self.init(
      used.map { IPAddress.v4(UInt32(bigEndian: $0.ipaddr.s_addr)) },
      seconds: UInt32(clamping: used.map(\.ttl).min() ?? 0))
  }

  private init(bytes6 bytes: UnsafeMutablePointer<UInt8>?, count: Int32) {
    var records = [ares_addr6ttl](repeating: ares_addr6ttl(), count: FamilyReply.addressLimit)
    var found = Int32(records.count)
    // As above.
    let status = unsafe ares_parse_aaaa_reply(bytes, count, nil, &records, &found)
    guard status == ARES_SUCCESS.code else {
      self = .failed(ResolutionFailure(status: status))
      return
    }
    let used = records.prefix(Int(found))
    self.init(
      used.map { record in
        unsafe withUnsafeBytes(of: record.ip6addr) { unsafe IPAddress(sixteenBytes: $0, scope: 0) }
      }, seconds: UInt32(clamping: used.map(\.ttl).min() ?? 0))
  }
}

extension FamilyPair<FamilyReply> {
  /// Reads the result of a search, or of a look into the hosts file.
  init(status: Int32, result: UnsafeMutablePointer<ares_addrinfo>?) {
    guard status == ARES_SUCCESS.code, let result = unsafe result else {
      self.init(repeating: .failed(ResolutionFailure(status: status)))
      return
    }
    var addresses = FamilyPair<[IPAddress]>(repeating: [])
    var seconds = UInt32.max
    // Two lists of c-ares, each ended by nil, which live until the result is freed.
    var alias = unsafe result.pointee.cnames
    while let record = unsafe alias {
      seconds = min(seconds, UInt32(clamping: unsafe record.pointee.ttl))
      unsafe alias = record.pointee.next
    }
    var node = unsafe result.pointee.nodes
    while let record = unsafe node {
      seconds = min(seconds, UInt32(clamping: unsafe record.pointee.ai_ttl))
      if let address = unsafe IPAddress(record.pointee.ai_addr) {
        let family: AddressFamily = address.isIPv6 ? .v6 : .v4
        if addresses[family].count < FamilyReply.addressLimit { addresses[family].append(address) }
      }
      unsafe node = record.pointee.ai_next
    }
    self.init(repeating: .failed(.noAddress))
    v6 = FamilyReply(addresses.v6, seconds: seconds)
    v4 = FamilyReply(addresses.v4, seconds: seconds)
  }
}

extension IPAddress {
  /// Reads an address that c-ares made: as long as its family says.
  fileprivate init?(_ address: UnsafeMutablePointer<sockaddr>?) {
    guard let address = unsafe address else { return nil }
    let raw = UnsafeRawPointer(address)
    switch Int32(unsafe address.pointee.sa_family) {
    case AF_INET:
      let form = unsafe raw.loadUnaligned(as: sockaddr_in.self)
      self = .v4(UInt32(bigEndian: form.sin_addr.s_addr))
    case AF_INET6:
      let form = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      self = unsafe withUnsafeBytes(of: form.sin6_addr) {
        unsafe IPAddress(sixteenBytes: $0, scope: form.sin6_scope_id)
      }
    default: return nil
    }
  }

  fileprivate init(sixteenBytes bytes: UnsafeRawBufferPointer, scope: UInt32) {
    let upper = unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    let lower = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    self = .v6(upper, lower, scope: scope)
  }
}

extension ResolutionFailure {
  /// Says a status of c-ares in our words.
  init(status: Int32) {
    switch status {
    case ARES_ENOTFOUND.code, ARES_ENONAME.code: self = .notFound
    case ARES_ENODATA.code: self = .noAddress
    case ARES_EREFUSED.code: self = .refused
    case ARES_ETIMEOUT.code: self = .timedOut
    case ARES_EBADNAME.code, ARES_EBADQUERY.code, ARES_EBADSTR.code: self = .badName
    case ARES_ENOMEM.code: self = .outOfResources(.outOfMemory)
    case ARES_ECANCELLED.code, ARES_EDESTRUCTION.code: self = .cancelled
    case ARES_ECONNREFUSED.code: self = ResolutionFailure.unreached
    default: self = .serverFailure
    }
  }

  /// c-ares says ECONNREFUSED when no server could be asked, whatever stood in the way. Whether it
  /// was the descriptor limit is found out by opening one.
  private static var unreached: ResolutionFailure {
    do throws(Errno) {
      _ = try Descriptor.quiet()
      return .serverFailure
    } catch {
      return error.isResourceLimit ? .outOfResources(error) : .serverFailure
    }
  }
}
