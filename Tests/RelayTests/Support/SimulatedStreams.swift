import Kernel
import Reactor
import TestSupport

@testable import Relay

/// A kernel of the test's own: sockets and pipes in memory, faults as the test asks for them.
///
/// Descriptors are real ones that are never ready, so that ownership is tested for real.
final class SimulatedStreams: StreamSystem {
  var sockets: [Int32: SimulatedSocket] = [:]
  private var pipes: [Int32: [UInt8]] = [:]
  var generator: Seeded
  /// Room of each socket that is opened.
  var capacity = 100_000
  /// In so many percent of the transfers, the kernel says that it would block although it would
  /// not, and announces readiness right after.
  var spuriousBlocks = 0
  /// In so many percent of the cases a pipe cannot be had.
  var pipeRefusals = 0
  /// What the next `open` throws.
  var openErrors: [Errno] = []
  var connectErrors: [Errno] = []
  var waiting: [Result<Int32, Errno>] = []
  var supportsSplice = true
  private(set) var opened: [Int32] = []
  private(set) var splices = 0

  init(seed: UInt64 = 1) {
    generator = Seeded(seed)
  }

  /// A new socket; its descriptor is the caller's.
  func makeSocket() throws(Errno) -> Descriptor {
    let descriptor = try Descriptor.quiet()
    sockets[descriptor.number] = SimulatedSocket(capacity: capacity)
    return descriptor
  }

  func socket(_ number: Int32) -> SimulatedSocket {
    guard let socket = sockets[number] else { fatalError("descriptor \(number) is not simulated") }
    return socket
  }

  private func blocks(_ socket: SimulatedSocket, _ readiness: Readiness) -> Bool {
    // Bytes that were seen in a socket can be taken out.
    guard generator.chance(spuriousBlocks), !socket.wasPeeked else { return false }
    socket.news.insert(readiness)
    return true
  }

  // MARK: StreamSystem

  func accept(_ listener: borrowing Descriptor) throws(Errno) -> Accepted? {
    guard !waiting.isEmpty else { return nil }
    let number = try waiting.removeFirst().get()
    return Accepted(Descriptor(adopting: number), from: .ip(.loopback4, port: 1))
  }

  func open(for address: SocketAddress) throws(Errno) -> Descriptor {
    if let error = openErrors.popLast() { throw error }
    let descriptor = try makeSocket()
    opened.append(descriptor.number)
    return descriptor
  }

  func bind(_ socket: borrowing Descriptor, to address: SocketAddress) {}

  func connect(
    _ socket: borrowing Descriptor, to address: SocketAddress
  ) throws(Errno) -> ConnectProgress {
    if let error = connectErrors.popLast() { throw error }
    return .inProgress
  }

  func takeError(_ socket: borrowing Descriptor) throws(Errno) -> Errno? { .connectionRefused }

  func receive(
    _ socket: borrowing Descriptor, into chunk: borrowing Chunk, count: Int
  ) throws(Errno) -> Transfer {
    let simulated = self.socket(socket.number)
    if blocks(simulated, .readable) { return .wouldBlock }
    return store(try simulated.read(count), in: chunk)
  }

  func peek(_ socket: borrowing Descriptor, into chunk: borrowing Chunk) throws(Errno) -> Transfer {
    store(try self.socket(socket.number).read(chunk.size, taking: false), in: chunk)
  }

  private func store(_ bytes: [UInt8]?, in chunk: borrowing Chunk) -> Transfer {
    guard let bytes else { return .wouldBlock }
    guard !bytes.isEmpty else { return .ended }
    unsafe chunk.withBytes { unsafe $0.copyBytes(from: bytes) }
    return .moved(bytes.count)
  }

  func send(
    _ socket: borrowing Descriptor, from chunk: borrowing Chunk, offset: Int, count: Int
  ) throws(Errno) -> Transfer {
    let simulated = self.socket(socket.number)
    if blocks(simulated, .writable) { return .wouldBlock }
    let bytes = unsafe chunk.withBytes { unsafe Array($0[offset..<offset + count]) }
    return try simulated.write(bytes).map { .moved($0) } ?? .wouldBlock
  }

  func makePipe(capacity: Int) throws(Errno) -> SplicePipe {
    if generator.chance(pipeRefusals) { throw .tooManyOpenFiles }
    let pipe = try SplicePipe(capacity: 4096)
    pipes[pipe.identity] = []
    return pipe
  }

  func fill(
    _ pipe: borrowing SplicePipe, from socket: borrowing Descriptor, count: Int
  ) throws(Errno) -> Transfer {
    guard supportsSplice else { throw .invalidArgument }
    splices += 1
    let held = pipes[pipe.identity] ?? []
    let simulated = self.socket(socket.number)
    if blocks(simulated, .readable) { return .wouldBlock }
    let limit = Int.random(in: 1...count, using: &generator)
    guard let bytes = try simulated.read(limit) else { return .wouldBlock }
    pipes[pipe.identity] = held + bytes
    return bytes.isEmpty ? .ended : .moved(bytes.count)
  }

  func drain(
    _ pipe: borrowing SplicePipe, to socket: borrowing Descriptor, count: Int
  ) throws(Errno) -> Transfer {
    let held = pipes[pipe.identity] ?? []
    let simulated = self.socket(socket.number)
    if blocks(simulated, .writable) { return .wouldBlock }
    let limit = Int.random(in: 1...count, using: &generator)
    guard let taken = try simulated.write(Array(held.prefix(limit))) else { return .wouldBlock }
    pipes[pipe.identity] = Array(held.dropFirst(taken))
    return .moved(taken)
  }

  func shutdownWrite(_ socket: borrowing Descriptor) throws(Errno) {
    try self.socket(socket.number).shutDown()
  }

  func unacknowledged(_ socket: borrowing Descriptor) throws(Errno) -> Int {
    self.socket(socket.number).outgoing.count
  }

  func peerWindowIsClosed(_ socket: borrowing Descriptor) throws(Errno) -> Bool { false }
  func set(_ socket: borrowing Descriptor, _ option: SocketOption, _ value: Int32) {}
  func set(_ socket: borrowing Descriptor, _ keepalive: Keepalive) {}
  func localAddress(_ socket: borrowing Descriptor) throws(Errno) -> SocketAddress {
    .ip(.loopback4, port: 2)
  }

  func close(_ socket: consuming Descriptor) {
    self.socket(socket.number).fate = .closed
  }

  func reset(_ socket: consuming Descriptor) {
    self.socket(socket.number).fate = .reset
    socket.reset()
  }
}
