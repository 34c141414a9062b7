public import Kernel

/// Why no address of a target could be connected to.
public enum RaceFailure: Error, Hashable, Sendable {
  /// Every address that this machine has a way to refused the connection.
  case refused
  /// The last attempt that tells something failed like this.
  case connect(Errno)
  /// There was no address to try.
  case resolution(ResolutionFailure)
  /// The deadline came while names were still being asked for.
  case timedOutResolving
  /// The deadline came while addresses were being tried; the last error of one that had failed.
  case timedOutConnecting(last: Errno?)
}

extension RaceFailure: CustomStringConvertible {
  /// A sentence without its full stop.
  public var description: String {
    switch self {
    case .refused: Errno.connectionRefused.description
    case .connect(let error): error.description
    case .resolution(let failure): failure.description
    case .timedOutResolving: "no name server answered in time"
    case .timedOutConnecting(nil): "no address answered in time"
    case .timedOutConnecting(let error?): "no address answered in time; one failed: \(error)"
    }
  }
}

/// What failed so far in a race, and what that amounts to.
struct RaceLosses: Sendable {
  private var lastError: Errno?
  private var lastLocalError: Errno?
  private var onlyRefusals = true
  private var unresolved: ResolutionFailure?

  /// The error of an attempt that tells most.
  var error: Errno? { lastError ?? lastLocalError }

  mutating func note(_ error: Errno) {
    if RaceLosses.isLocal(error) {
      lastLocalError = error
    } else {
      lastError = error
      if error != .connectionRefused { onlyRefusals = false }
    }
  }

  mutating func note(_ failure: ResolutionFailure) {
    unresolved = unresolved?.combined(with: failure) ?? failure
  }

  /// What is said when nothing is left to try: an attempt's error before a name's.
  var total: RaceFailure {
    if lastError != nil, onlyRefusals { return .refused }
    if let error { return .connect(error) }
    return .resolution(unresolved ?? .noAddress)
  }

  /// This machine has no way to the address: an IPv6 address where there is only IPv4. That says
  /// nothing of the target, so an error that came from there is preferred.
  private static func isLocal(_ error: Errno) -> Bool {
    switch error {
    case .networkUnreachable, .addressFamilyNotSupported, .addressNotAvailable: true
    default: false
    }
  }
}
