internal import Kernel

/// The sockets that a service manager passed, sd_listen_fds(3): numbers from 3 on, with names.
struct InheritedSockets: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    let name: String
    let number: Int32
  }

  /// The most that are looked at.
  static let limit = 4096

  let entries: [Entry]

  /// Reads the three variables; nothing is inherited when they are meant for another process.
  init(processIdentifier: Int32, pid: String?, count: String?, names: String?) {
    guard let pid, Int32(pid) == processIdentifier, let count = count.flatMap({ Int($0) }),
      count > 0, count <= InheritedSockets.limit
    else {
      entries = []
      return
    }
    let names = names?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    entries = (0..<count).map { index in
      // sd_listen_fds_with_names(3): what has no name is "unknown".
      let name = index < names.count ? String(names[index]) : ""
      return Entry(
        name: name.isEmpty ? "unknown" : name,
        number: InheritedDescriptor.firstNumber + Int32(index))
    }
  }

  /// The sockets meant by `fd:NAME`: those of that name, or the one of that number.
  func numbers(named name: String) -> [Int32] {
    let named = entries.filter { $0.name == name }
    if !named.isEmpty { return named.map(\.number) }
    return entries.filter { "\($0.number)" == name }.map(\.number)
  }

  /// Takes the variables out of the environment and makes sure that no child gets the sockets.
  static func take() -> InheritedSockets {
    let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
    let values = variables.map { Environment.value($0) }
    for variable in variables { Environment.remove(variable) }
    let sockets = InheritedSockets(
      processIdentifier: Environment.processIdentifier, pid: values[0], count: values[1],
      names: values[2])
    for entry in sockets.entries { _ = InheritedDescriptor(entry.number) }
    return sockets
  }
}
