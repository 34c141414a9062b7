internal import CKernel
internal import Glibc

extension SocketAddress {
  /// The bytes of the kernel's form, a `sockaddr` as long as its family needs.
  public var kernelBytes: [UInt8] {
    unsafe withKernelForm { form, length in
      unsafe [UInt8](UnsafeRawBufferPointer(start: form, count: Int(length)))
    }
  }

  /// Reads the kernel's form; nil when the bytes are no address of a family that is served here.
  public init?(kernelBytes bytes: [UInt8]) {
    var storage = sockaddr_storage()
    guard bytes.count >= 2, bytes.count <= MemoryLayout<sockaddr_storage>.size else { return nil }
    unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyBytes(from: bytes) }
    let least =
      switch Int32(storage.ss_family) {
      case AF_INET: MemoryLayout<sockaddr_in>.size
      case AF_INET6: MemoryLayout<sockaddr_in6>.size
      default: 2
      }
    guard bytes.count >= least else { return nil }
    self.init(kernelForm: &storage, length: socklen_t(bytes.count))
  }

  /// AF_INET, AF_INET6 or AF_UNIX.
  public var familyNumber: Int32 { family }
}

/// An address of an interface of this machine.
public struct InterfaceAddress: Hashable, Sendable {
  /// The interface's index.
  public var interface: UInt32
  /// The interface's name.
  public var name: String
  /// The address, a link-local one with its scope.
  public var address: IPAddress

  /// All addresses of all interfaces, in the kernel's order.
  public static func all() throws(Errno) -> [InterfaceAddress] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { throw Errno(rawValue: errno) }
    defer { unsafe freeifaddrs(first) }
    var found: [InterfaceAddress] = []
    var next = unsafe first
    while let entry = unsafe next?.pointee {
      unsafe next = unsafe entry.ifa_next
      // An interface may have no address: getifaddrs(3) then tells its name alone.
      guard let form = unsafe entry.ifa_addr, let address = unsafe SocketAddress(form: form),
        case .ip(let address, _) = address
      else { continue }
      let name = unsafe String(cString: entry.ifa_name)
      guard let index = Interface.index(named: name) else { continue }
      found.append(InterfaceAddress(interface: index, name: name, address: address))
    }
    return found
  }
}

extension SocketAddress {
  /// Reads an address whose length follows from its family.
  fileprivate init?(form: UnsafeMutablePointer<sockaddr>) {
    var storage = sockaddr_storage()
    let length: Int
    switch unsafe Int32(form.pointee.sa_family) {
    case AF_INET: length = MemoryLayout<sockaddr_in>.size
    case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
    default: return nil
    }
    unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: form, count: length))
    }
    self.init(kernelForm: &storage, length: socklen_t(length))
  }
}
