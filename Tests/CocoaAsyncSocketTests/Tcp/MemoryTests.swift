import CocoaAsyncSocket
import Foundation
import Glibc
import Kernel
import TestSupport
import Testing

@Suite("Memory of delegates' sockets")
struct MemoryTests {
  /// The private memory of this process in bytes.
  private static func privateMemory() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("Private_") }
    return lines.reduce(0) { sum, line in
      sum + (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
    }
  }

  /// Sockets that have exchanged a line and wait for the next one.
  private static func idle(_ count: Int, _ recorder: Recorder) throws -> [GCDAsyncSocket] {
    var sockets: [GCDAsyncSocket] = []
    for tag in 0..<count {
      var ends: [Int32] = [-1, -1]
      guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
        throw POSIXFailure(errno)
      }
      let socket = try GCDAsyncSocket.socket(
        fromConnectedSocketFD: ends[0], delegate: recorder, delegateQueue: recorder.queue)
      let sent = unsafe send(ends[1], "line\n", 5, 0)
      precondition(sent == 5, "a new socket has room for a line")
      socket.readData(to: GCDAsyncSocket.lfData(), withTimeout: -1, tag: tag)
      socket.write(Data("answer\n".utf8), withTimeout: -1, tag: tag)
      _ = try recorder.read(socket, tag: tag)
      try recorder.wrote(socket, tag: tag)
      socket.readData(to: GCDAsyncSocket.lfData(), withTimeout: -1, tag: tag)
      sockets.append(socket)
    }
    return sockets
  }

  // Only of optimised code without a sanitizer, which has memory of its own for each allocation.
  @Test(.enabled(if: Allocations.areCounted)) func anIdleSocketTakesAtMost4kB() async {
    await #expect(processExitsWith: .success) {
      let limit = try ProcessLimits.raiseDescriptorLimit()
      let count = min(8000, Int(limit) / 3)
      let recorder = Recorder()
      // What the process takes once.
      let first = try MemoryTests.idle(64, recorder)
      let before = try MemoryTests.privateMemory()
      let sockets = try MemoryTests.idle(count, recorder)
      let each = (try MemoryTests.privateMemory() - before) / count
      print("an idle socket takes \(each) bytes")
      precondition(each <= 4096, "an idle socket takes \(each) bytes")
      precondition(first.count + sockets.count == count + 64, "all are held")
    }
  }
}
