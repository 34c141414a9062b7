import Configuration
import Foundation
import Glibc
import Kernel
import TestSupport
import Testing

/// The real program, as a child of the test.
struct RunningAdit {
  let process: ChildProcess

  /// Starts `adit` with these arguments.
  init(
    _ arguments: [String], environment: [String: String] = [:], terminal: Bool = false
  ) throws {
    process = try ChildProcess(
      try RunningAdit.program, arguments, environment: environment, terminal: terminal)
  }

  /// Starts a shell that does `preparation` and then becomes `adit`.
  init(
    after preparation: String, _ arguments: [String], inherited: [Int32] = [],
    environment: [String: String] = [:]
  ) throws {
    process = try ChildProcess(
      "/bin/sh", ["-c", "\(preparation); exec \"$0\" \"$@\"", try RunningAdit.program] + arguments,
      environment: environment, inherited: inherited)
  }

  /// The program beside the bundle of tests.
  static var program: String {
    get throws {
      let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
      let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let candidates = [bundle, runner].compactMap { $0 }.map { path in
        URL(filePath: path).deletingLastPathComponent().appending(path: "adit").path
      }
      return try #require(
        candidates.first { FileManager.default.isExecutableFile(atPath: $0) },
        "adit is not beside the tests: \(candidates)")
    }
  }

  /// The address of the next listener that is told ready.
  func listening() throws -> SocketAddress {
    let line = try process.errorLine(containing: "listening ")
    let words = line.split(separator: " ").map { String($0) }
    return try address(["tcp", "ftp"].contains(words[1]) ? words[2] : words[1])
  }

  /// A socket connected to the next listener that is told ready.
  func connect() throws -> BlockingSocket {
    try BlockingSocket.connected(to: try listening())
  }

  /// Asks for the end and waits for it.
  func end() throws -> Int32 {
    process.send(SIGTERM)
    return try process.exitCode()
  }
}

/// Reads an address as the program writes it.
func address(_ text: String) throws -> SocketAddress {
  switch try ListenSpecification(text) {
  case .ip(.address(let address), let port): .ip(address, port: port)
  case .unix(let name): .unix(name)
  case .ip, .udp, .ftp, .inherited: throw Errno.invalidArgument
  }
}

extension BlockingSocket {
  /// The address as the command line takes it.
  var target: String { get throws { try address.description } }
}

/// True when a client and a server can say something to each other through a tunnel.
func carries(_ client: BlockingSocket, _ server: BlockingSocket, _ text: String) throws -> Bool {
  try client.send(text)
  try server.send(server.receive(limit: text.utf8.count).text + "!")
  return client.receive(limit: text.utf8.count + 1).text == text + "!"
}
