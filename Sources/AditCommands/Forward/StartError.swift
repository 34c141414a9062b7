internal import Kernel
internal import Relay

/// Why tunnels cannot start, or a reload cannot be done.
enum StartError: Error, Hashable, Sendable {
  /// A listener cannot be opened.
  case listen(ListenError)
  /// `fd:NAME` without a socket of that name; `names` are those there are.
  case inheritedUnknown(String, names: [String])
  /// A new listener would share its port with one that is open.
  case overlap(String, open: String, tunnel: String)
  /// A limit of the process or system is met.
  case resources(Errno)

  var code: String {
    switch self {
    case .listen: "listen-failed"
    case .inheritedUnknown: "fd-unknown"
    case .overlap: "listen-overlaps"
    case .resources: "resources"
    }
  }

  /// The address concerned.
  var place: String? {
    switch self {
    case .listen(.refused(let address, _)): address.description
    case .listen(.unixSocketInUse(let path)), .listen(.notOurs(let path)): "unix:\(path)"
    case .listen(.notAListener(let descriptor)): "fd:\(descriptor)"
    case .listen(.noResources), .resources: nil
    case .inheritedUnknown(let name, _): "fd:\(name)"
    case .overlap(let listen, _, _): listen
    }
  }
}

extension StartError: CustomStringConvertible {
  var description: String {
    switch self {
    case .listen(let error): return error.description
    case .inheritedUnknown(let name, let names) where names.isEmpty:
      return "cannot listen on fd:\(name): no socket was passed to this process; start it from a"
        + " systemd socket unit"
    case .inheritedUnknown(let name, let names):
      return "cannot listen on fd:\(name): there is no socket of that name; there are"
        + " \(names.map { "fd:\($0)" }.joined(separator: ", "))"
    case .overlap(let listen, let open, let tunnel):
      return "cannot listen on \(listen): tunnel \(tunnel) listens on \(open), which overlaps; give"
        + " one of them another port, or restart"
    case .resources(let error): return "cannot start: \(error)"
    }
  }
}
