internal import Configuration

/// What `adit forward` was told.
struct ForwardArguments: Hashable, Sendable {
  /// Where the tunnels come from.
  enum Source: Hashable, Sendable {
    /// The command line.
    case tunnels([TunnelConfiguration])
    /// A file, which can be read again.
    case file(String)
  }

  /// A key and its text.
  struct Setting: Hashable, Sendable {
    let key: String
    let value: String
  }

  var source: Source
  /// What the command line says of the process; it stands above a file.
  var settings: [Setting] = []
  var isJSON = false

  /// The file's word for the process, or the default, with the command line's above it.
  func process(over base: ProcessConfiguration) -> ProcessConfiguration {
    var process = base
    for setting in settings {
      do {
        try ProcessOptions.apply(key: setting.key, value: setting.value, to: &process)
      } catch {
        preconditionFailure("--\(setting.key) was accepted and is refused now: \(error)")
      }
    }
    return process
  }
}

/// Reads the arguments behind `adit forward`.
struct ForwardParser {
  private var words: [String] = []
  private var tunnels: [TunnelConfiguration] = []
  private var defaults = TunnelConfiguration()
  private var defaultOption: String?
  private var settings: [ForwardArguments.Setting] = []
  /// The tunnels' options that were written, and which tunnel each is for; nil for all.
  private var written: [(key: String, option: String, tunnel: Int?)] = []
  private var file: String?
  private var isJSON = false

  /// The arguments' meaning.
  static func parse(_ arguments: [String]) throws(UsageError) -> ForwardArguments {
    var parser = ForwardParser()
    var reader = ArgumentReader(arguments, options: ForwardOption.all)
    while let argument = try reader.next() {
      switch argument {
      case .word(let word): parser.words.append(word)
      case .option(let option, let value): try parser.take(option, value)
      }
    }
    return ForwardArguments(
      source: try parser.source(), settings: parser.settings, isJSON: parser.isJSON)
  }

  // MARK: Options

  private mutating func take(
    _ option: OptionDescription, _ value: String?
  ) throws(UsageError) {
    switch option.name {
    case "-L": try addTunnel(value ?? "")
    case "--config":
      if file != nil { throw .twoWays("--config", "--config") }
      file = value
    case "--json": isJSON = true
    case "--help", "--version": break
    case _:
      var key = String(option.name.dropFirst(2))
      if case .negation(let positive) = option.argument { key = positive }
      try set(key, value ?? (key == option.name.dropFirst(2) ? "true" : "false"), option.name)
    }
  }

  private mutating func addTunnel(_ text: String) throws(UsageError) {
    let forward = try Self.reading { () throws(ConfigurationError) in
      try ForwardSpecification(text)
    }
    var tunnel = defaults
    tunnel.listen = [forward.listen]
    tunnel.targets = forward.targets
    tunnels.append(tunnel)
  }

  /// Sets a key in the tunnel before it, or in all that follow, and in the process if it knows it.
  private mutating func set(
    _ key: String, _ value: String, _ option: String
  ) throws(UsageError) {
    let isTunnelKey = TunnelOptions.key(key) != nil
    let isProcessKey = ProcessOptions.key(key) != nil
    do {
      if isTunnelKey {
        written.append((key, option, tunnels.isEmpty ? nil : tunnels.count - 1))
        if tunnels.isEmpty {
          try TunnelOptions.apply(key: key, value: value, to: &defaults)
        } else {
          try TunnelOptions.apply(key: key, value: value, to: &tunnels[tunnels.count - 1])
        }
        if !isProcessKey { defaultOption = defaultOption ?? option }
      }
      if isProcessKey {
        var trial = ProcessConfiguration()
        try ProcessOptions.apply(key: key, value: value, to: &trial)
        settings.append(ForwardArguments.Setting(key: key, value: value))
      }
    } catch {
      throw .value(option: option, error)
    }
  }

  // MARK: The whole

  private mutating func source() throws(UsageError) -> ForwardArguments.Source {
    if let file {
      if let word = words.first {
        throw .oddWord(word, instead: "the tunnels are those of \(file)")
      }
      if !tunnels.isEmpty { throw .twoWays("--config", "-L") }
      if let defaultOption { throw .tunnelOption(defaultOption) }
      return .file(file)
    }
    if tunnels.isEmpty {
      tunnels = [try tunnelOfWords()]
    } else if let word = words.first {
      throw .oddWord(word, instead: "write -L LISTEN=TARGET for each tunnel")
    }
    nameTunnels()
    try refuseDuplicates()
    try refuseStrangers()
    return .tunnels(tunnels)
  }

  private func tunnelOfWords() throws(UsageError) -> TunnelConfiguration {
    let example = "adit forward 8080 web.example:80"
    guard let listen = words.first else {
      throw .wordMissing("LISTEN", example: "LISTEN TARGET, as in \"\(example)\"")
    }
    if words.count > 2 {
      throw .oddWord(
        words[2],
        instead: "LISTEN is \"\(listen)\" and TARGET is \"\(words[1])\"; several targets are"
          + " joined by commas")
    }
    var tunnel = defaults
    tunnel.listen = [try Self.reading { () throws(ConfigurationError) in try .init(listen) }]
    guard words.count == 2 else {
      throw .wordMissing("TARGET", example: "it behind \"\(listen)\", as in \"\(example)\"")
    }
    tunnel.targets = try Self.reading { () throws(ConfigurationError) in
      try TargetSpecification.list(words[1])
    }
    return tunnel
  }

  private static func reading<Result>(
    _ body: () throws(ConfigurationError) -> Result
  ) throws(UsageError) -> Result {
    do { return try body() } catch { throw .text(error) }
  }

  /// Tunnels without a name are called `forward`, or `forward-1`, `forward-2`, … when there are
  /// several.
  private mutating func nameTunnels() {
    for index in tunnels.indices where tunnels[index].name.isEmpty {
      tunnels[index].name = tunnels.count == 1 ? "forward" : "forward-\(index + 1)"
    }
  }

  /// An option of use to none of the tunnels it is for, or a target that does not go with LISTEN.
  private func refuseStrangers() throws(UsageError) {
    for (key, option, tunnel) in written {
      guard let name = TunnelOptions.key(key)?.name else { continue }
      let meant = tunnel.map { [tunnels[$0]] } ?? tunnels
      let faults = meant.compactMap { $0.transportFault(ofKey: name) }
      if let fault = faults.first, faults.count == meant.count {
        throw .value(option: option, .transport(fault))
      }
    }
    for tunnel in tunnels {
      if let fault = tunnel.targetFault { throw .text(.transport(fault)) }
    }
  }

  private func refuseDuplicates() throws(UsageError) {
    var names: Set<String> = []
    var listens: Set<ListenSpecification> = []
    for tunnel in tunnels {
      if !names.insert(tunnel.name).inserted { throw .duplicateName(tunnel.name) }
      for listen in tunnel.listen where !listens.insert(listen).inserted {
        if listen.bind?.port == 0 { continue }
        throw .duplicateListen(listen.description)
      }
    }
  }
}
