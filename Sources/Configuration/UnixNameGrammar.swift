internal import Kernel

/// What can be wrong with the name of a unix socket.
public enum UnixFault: Hashable, Sendable {
  /// No path, or no name behind the `@`.
  case missing
  /// More bytes than a socket's address holds.
  case long(bytes: Int, limit: Int)
  /// A zero byte.
  case zero
  /// A comma in a target's path, where it separates targets.
  case comma

  var code: String {
    switch self {
    case .missing: "unix-missing"
    case .long: "unix-long"
    case .zero: "unix-zero"
    case .comma: "unix-comma"
    }
  }

  var what: String {
    switch self {
    case .missing: "the name of the unix socket is missing"
    case .long(let bytes, _): "the name of the unix socket has \(bytes) bytes"
    case .zero: "a zero byte cannot stand in the name of a unix socket"
    case .comma: "a comma separates targets and cannot stand in a path"
    }
  }

  var expected: String {
    switch self {
    case .missing, .zero: "write unix:PATH, or unix:@NAME for an abstract name"
    case .long(_, let limit): "the kernel takes at most \(limit)"
    case .comma: "use a path without one"
    }
  }
}

extension GrammarText {
  /// Reads `unix:PATH` or `unix:@NAME`; nil when `part` does not begin with `unix:`.
  func unixName(_ part: Substring) throws(ConfigurationError) -> UnixName? {
    guard part.hasPrefix("unix:") else { return nil }
    let name = part.dropFirst(5)
    if let zero = name.firstIndex(of: "\0") { throw fault(.unix(.zero), at: zero) }
    guard name.first == "@" else { return .path(try checked(name)) }
    return .abstract(try checked(name.dropFirst()))
  }

  /// A path and an abstract name may be as long: the zero byte ends the one and begins the other.
  private func checked(_ name: Substring) throws(ConfigurationError) -> String {
    let limit = UnixName.pathLimit
    if name.isEmpty { throw fault(.unix(.missing), at: name.startIndex) }
    guard name.utf8.count > limit else { return String(name) }
    throw fault(.unix(.long(bytes: name.utf8.count, limit: limit)), at: name.startIndex)
  }
}

extension UnixName {
  /// Text that LISTEN and TARGET read as this name. A file whose name begins with `@` is written
  /// with its folder, since `@` means an abstract name.
  var specification: String {
    switch self {
    case .path(let path): path.hasPrefix("@") ? "unix:./\(path)" : "unix:\(path)"
    case .abstract(let name): "unix:@\(name)"
    case .unnamed: "unix:"
    }
  }
}
