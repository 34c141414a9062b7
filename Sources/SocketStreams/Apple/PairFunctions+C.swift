public import Foundation
public import Security

// `Unmanaged` is what Darwin's calls hand streams over in.

/// Gives two streams that share a connection to a host; it is made when either is opened.
public func CFStreamCreatePairWithSocketToHost(
  _ allocator: CFAllocator?, _ host: CFString?, _ port: UInt32,
  _ readStream: inout Unmanaged<CFReadStream>?, _ writeStream: inout Unmanaged<CFWriteStream>?
) {
  let link = StreamLink(.host(host.map { $0 as String } ?? "", port: Int(port)), PairRules())
  // Retained for the caller, whose `takeRetainedValue` balances it.
  unsafe readStream = Unmanaged.passRetained(SocketInputStream(link))
  unsafe writeStream = Unmanaged.passRetained(SocketOutputStream(link))
}

/// The same for a caller that only reads.
public func CFStreamCreatePairWithSocketToHost(
  _ allocator: CFAllocator?, _ host: CFString?, _ port: UInt32,
  _ readStream: inout Unmanaged<CFReadStream>?, _ writeStream: Stream.NothingWanted?
) {
  let target = ConnectionTarget.host(host.map { $0 as String } ?? "", port: Int(port))
  let link = StreamLink(target, PairRules(wanted: [.input]))
  // Retained for the caller, whose `takeRetainedValue` balances it.
  unsafe readStream = Unmanaged.passRetained(SocketInputStream(link))
}

/// The same for a caller that only writes.
public func CFStreamCreatePairWithSocketToHost(
  _ allocator: CFAllocator?, _ host: CFString?, _ port: UInt32,
  _ readStream: Stream.NothingWanted?, _ writeStream: inout Unmanaged<CFWriteStream>?
) {
  let target = ConnectionTarget.host(host.map { $0 as String } ?? "", port: Int(port))
  let link = StreamLink(target, PairRules(wanted: [.output]))
  // Retained for the caller, whose `takeRetainedValue` balances it.
  unsafe writeStream = Unmanaged.passRetained(SocketOutputStream(link))
}

/// Gives two streams over a connected stream socket of the caller's, who goes on to own it unless
/// `kCFStreamPropertyShouldCloseNativeSocket` is set before they are opened.
public func CFStreamCreatePairWithSocket(
  _ allocator: CFAllocator?, _ socket: CFSocketNativeHandle,
  _ readStream: inout Unmanaged<CFReadStream>?, _ writeStream: inout Unmanaged<CFWriteStream>?
) {
  let link = StreamLink(.native(socket), PairRules())
  // Retained for the caller, whose `takeRetainedValue` balances it.
  unsafe readStream = Unmanaged.passRetained(SocketInputStream(link))
  unsafe writeStream = Unmanaged.passRetained(SocketOutputStream(link))
}

/// Gives two streams of which the one reads what is written to the other, with so many bytes
/// between them.
public func CFStreamCreateBoundPair(
  _ allocator: CFAllocator?, _ readStream: inout Unmanaged<CFReadStream>?,
  _ writeStream: inout Unmanaged<CFWriteStream>?, _ transferBufferSize: CFIndex
) {
  let link = StreamLink(.bound, PairRules(boundBy: max(1, transferBufferSize)))
  // Retained for the caller, whose `takeRetainedValue` balances it.
  unsafe readStream = Unmanaged.passRetained(SocketInputStream(link))
  unsafe writeStream = Unmanaged.passRetained(SocketOutputStream(link))
}
