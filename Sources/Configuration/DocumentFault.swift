/// What can be wrong with a document beyond its single values.
public enum DocumentFault: Hashable, Sendable {
  /// Not TOML; the parser's words.
  case syntax(String)
  /// Larger than `ConfigurationFile.byteLimit`.
  case large(bytes: Int)
  /// A key of more parts than `ConfigurationFile.keyDepthLimit`.
  case deepKey
  /// More tunnels than `ConfigurationFile.tunnelLimit`.
  case manyTunnels(Int)
  /// More values for one key than `ConfigurationFile.listLimit`.
  case manyValues(Int)
  /// A value of the wrong type.
  case type(found: String, expected: String)
  /// A key that has to be there and is not.
  case missing(key: String, example: String)
  /// A list with nothing in it.
  case emptyList(example: String)
  /// A tunnel's name that an earlier one has.
  case duplicateName(String, line: Int)
  /// A LISTEN that is taken already, by the tunnel named or by the same one.
  case duplicateListen(String, tunnel: String?, line: Int)

  var code: String {
    switch self {
    case .syntax: "toml-syntax"
    case .large: "file-large"
    case .deepKey: "key-deep"
    case .manyTunnels: "tunnels-many"
    case .manyValues: "values-many"
    case .type: "type-wrong"
    case .missing: "key-missing"
    case .emptyList: "list-empty"
    case .duplicateName: "name-duplicate"
    case .duplicateListen: "listen-duplicate"
    }
  }

  var what: String {
    switch self {
    case .syntax(let words): "this is not TOML: \(words)"
    case .large(let bytes): "the file has \(bytes) bytes"
    case .deepKey: "the key has too many parts"
    case .manyTunnels(let count): "there are \(count) tunnels"
    case .manyValues(let count): "there are \(count) values"
    case .type(let found, _): "\(found) stands here"
    case .missing(let key, _): "\(quoted(key)) is missing"
    case .emptyList: "the list is empty"
    case .duplicateName(let name, let line):
      "the tunnel in line \(line) is called \(quoted(name)) too"
    case .duplicateListen(let listen, let tunnel?, let line):
      "tunnel \(quoted(tunnel)) in line \(line) listens at \(quoted(listen)) too"
    case .duplicateListen(let listen, nil, _): "\(quoted(listen)) stands here twice"
    }
  }

  var expected: String {
    switch self {
    case .syntax: "see toml.io for the rules"
    case .large: "at most \(ConfigurationFile.byteLimit) are read"
    case .deepKey: "at most \(ConfigurationFile.keyDepthLimit) are read"
    case .manyTunnels: "one file holds at most \(ConfigurationFile.tunnelLimit)"
    case .manyValues: "one key takes at most \(ConfigurationFile.listLimit)"
    case .type(_, let expected): "write \(expected)"
    case .missing(_, let example), .emptyList(let example): "write it as in \(example)"
    case .duplicateName: "give each tunnel a name of its own"
    case .duplicateListen(_, .some, _): "give each tunnel an address or port of its own"
    case .duplicateListen(_, nil, _): "write it once"
    }
  }
}
