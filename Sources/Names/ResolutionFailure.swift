public import Kernel

/// Why a name gave no address of a family.
public enum ResolutionFailure: Error, Hashable, Sendable {
  /// The name does not exist (NXDOMAIN).
  case notFound
  /// The name exists and has no address of this family.
  case noAddress
  /// No name server could answer: a failure of theirs, or none could be reached.
  case serverFailure
  /// No name server answered in time.
  case timedOut
  /// The name servers refuse to answer this machine.
  case refused
  /// The text is no host's name.
  case badName
  /// The resolver was shut down first.
  case cancelled
  /// A limit of this process, or of the system where an error is given.
  case outOfResources(Errno?)

  /// True when DNS itself does not work: only then is an answer used that has expired.
  public var isOutage: Bool {
    switch self {
    case .serverFailure, .timedOut, .refused: true
    case .notFound, .noAddress, .badName, .cancelled, .outOfResources: false
    }
  }

  /// True when DNS has said that there is nothing.
  var isAnswer: Bool {
    switch self {
    case .notFound, .noAddress, .badName: true
    case .serverFailure, .timedOut, .refused, .cancelled, .outOfResources: false
    }
  }

  /// What a combined report of both families says: the failure that tells more.
  func combined(with other: ResolutionFailure) -> ResolutionFailure {
    other.weight > weight ? other : self
  }

  private var weight: Int {
    switch self {
    case .noAddress: 0
    case .notFound: 1
    case .badName: 2
    case .cancelled: 3
    case .timedOut: 4
    case .serverFailure: 5
    case .refused: 6
    case .outOfResources: 7
    }
  }
}

extension ResolutionFailure: CustomStringConvertible {
  /// A sentence for whoever wrote the name, without its full stop.
  public var description: String {
    switch self {
    case .notFound: "the name does not exist"
    case .noAddress: "the name has no address"
    case .serverFailure: "no name server could answer"
    case .timedOut: "no name server answered in time"
    case .refused: "the name server refuses to answer this machine"
    case .badName: "that is no host's name"
    case .cancelled: "the look-up was cancelled"
    case .outOfResources(nil): "too many look-ups at once"
    case .outOfResources(let error?): "the name could not be asked for: \(error)"
    }
  }
}
