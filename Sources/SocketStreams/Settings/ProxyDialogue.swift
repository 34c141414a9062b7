internal import Foundation
internal import Kernel

/// A SOCKS proxy as a stream's property names it.
struct ProxySettings: Hashable, Sendable {
  enum Version: Hashable, Sendable {
    case four
    case five
  }

  static let usualPort = 1080

  var host: String
  var port = ProxySettings.usualPort
  var version = Version.five
  var user: String?
  var password: String?
}

/// Why a proxy does not serve.
enum ProxyFailure: Hashable, Sendable {
  /// It ended the connection while it was spoken with.
  case ended
  /// It speaks something else.
  case notUnderstood
  /// It wants a user's name and password, and has them not or refuses them.
  case notAuthenticated
  /// It refuses, or cannot reach the host, with its own number.
  case refused(UInt8)
  /// The host's or the user's name is longer than the protocol can say.
  case tooLong

  /// The number of CFNetwork's errors.
  var number: Int32 {
    switch self {
    case .ended: 2
    case .notUnderstood: 110
    case .notAuthenticated: 122
    case .refused(let code): Int32(code)
    case .tooLong: 120
    }
  }

  var description: String {
    switch self {
    case .ended: "the SOCKS proxy ended the connection"
    case .notUnderstood: "the SOCKS proxy gave an answer that is none"
    case .notAuthenticated: "the SOCKS proxy does not accept the user"
    case .refused(let code): "the SOCKS proxy refused the connection, code \(code)"
    case .tooLong: "a name is too long for the SOCKS proxy"
    }
  }
}

/// The client's part of SOCKS 5 (RFC 1928, RFC 1929), 4 and 4a: messages to send, bytes that come.
struct ProxyDialogue {
  private enum Step {
    case choosing
    case authenticating
    case connecting
    case done
  }

  private let proxy: ProxySettings
  private let host: String
  private let port: UInt16
  private var step: Step
  private var outgoing: [UInt8] = []
  private var answer: [UInt8] = []
  private var failure: ProxyFailure?

  private static let noAuthentication: UInt8 = 0
  private static let password: UInt8 = 2

  init(_ proxy: ProxySettings, to host: String, _ port: UInt16) {
    self.proxy = proxy
    self.host = host
    self.port = port
    switch proxy.version {
    case .four:
      step = .connecting
      outgoing = request4()
    case .five:
      step = .choosing
      outgoing = proxy.user == nil ? [5, 1, 0] : [5, 2, 0, 2]
    }
  }

  var isDone: Bool {
    switch step {
    case .done: true
    case .choosing, .authenticating, .connecting: false
    }
  }

  /// What is to be sent now.
  mutating func takeOutgoing() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  /// Takes the next byte that came.
  mutating func take(_ byte: UInt8) -> ProxyFailure? {
    if let problem { return problem }
    answer.append(byte)
    switch (step, proxy.version) {
    case (.choosing, _): return choose()
    case (.authenticating, _): return authenticate()
    case (.connecting, .five): return connect5()
    case (.connecting, .four): return connect4()
    case (.done, _): preconditionFailure("a dialogue that is over is given a byte")
    }
  }

  /// A name that the protocol has no room for.
  private var problem: ProxyFailure? {
    let names = [host, proxy.user ?? "", proxy.password ?? ""]
    return names.contains { $0.utf8.count > 255 } ? .tooLong : nil
  }

  private mutating func choose() -> ProxyFailure? {
    guard answer[0] == 5 else { return .notUnderstood }
    guard answer.count == 2 else { return nil }
    let method = answer[1]
    answer = []
    switch method {
    case ProxyDialogue.noAuthentication:
      step = .connecting
      outgoing = request5()
    case ProxyDialogue.password:
      guard let user = proxy.user else { return .notAuthenticated }
      step = .authenticating
      outgoing = [1] + named(user) + named(proxy.password ?? "")
    default: return .notAuthenticated
    }
    return nil
  }

  private mutating func authenticate() -> ProxyFailure? {
    guard answer.count == 2 else { return nil }
    guard answer[1] == 0 else { return .notAuthenticated }
    answer = []
    step = .connecting
    outgoing = request5()
    return nil
  }

  private mutating func connect5() -> ProxyFailure? {
    guard answer[0] == 5 else { return .notUnderstood }
    if answer.count > 1, answer[1] != 0 { return .refused(answer[1]) }
    guard answer.count > 4 else { return nil }
    let addressLength: Int
    switch answer[3] {
    case 1: addressLength = 4
    case 3: addressLength = 1 + Int(answer[4])
    case 4: addressLength = 16
    default: return .notUnderstood
    }
    if answer.count == 4 + addressLength + 2 { step = .done }
    return nil
  }

  private mutating func connect4() -> ProxyFailure? {
    guard answer[0] == 0 else { return .notUnderstood }
    guard answer.count == 8 else { return nil }
    guard answer[1] == 90 else { return .refused(answer[1]) }
    step = .done
    return nil
  }

  // MARK: Requests

  private func request5() -> [UInt8] {
    [5, 1, 0] + address5() + [UInt8(port >> 8), UInt8(port & 0xff)]
  }

  private func address5() -> [UInt8] {
    switch IPAddress(host) {
    case .v4(let number): [1] + ProxyDialogue.octets(number)
    case .v6(let high, let low, _): [4] + ProxyDialogue.octets(high) + ProxyDialogue.octets(low)
    case nil: [3] + named(host)
    }
  }

  private func request4() -> [UInt8] {
    let start: [UInt8] = [4, 1, UInt8(port >> 8), UInt8(port & 0xff)]
    let user = Array((proxy.user ?? "").utf8) + [0]
    if case .v4(let number) = IPAddress(host) {
      return start + ProxyDialogue.octets(number) + user
    }
    // 4a: an address that is none says that a name follows.
    return start + [0, 0, 0, 1] + user + Array(host.utf8) + [0]
  }

  private func named(_ text: String) -> [UInt8] {
    [UInt8(truncatingIfNeeded: text.utf8.count)] + Array(text.utf8)
  }

  private static func octets(_ number: some FixedWidthInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: number >> $0)
    }
  }
}
