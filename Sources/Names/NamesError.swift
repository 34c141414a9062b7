/// Why a resolver could not be made.
public enum NamesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is not enough memory for it.
  case outOfMemory
  /// The servers given are not ones that can be asked.
  case badServers(String)
  /// The library refused, with its own number for the reason.
  case library(code: Int32)

  /// A sentence without its full stop.
  public var description: String {
    switch self {
    case .outOfMemory: "there is not enough memory to resolve names"
    case .badServers(let servers): "these name servers cannot be asked: \(servers)"
    case .library(let code): "names cannot be resolved here (c-ares error \(code))"
    }
  }
}
