extension OptionKey {
  /// A path to a part of the value, usable from any thread.
  typealias Path<Value> = any WritableKeyPath<Root, Value> & Sendable

  private init(
    _ name: String, _ kind: KeyKind, _ documentation: String,
    texts: @escaping @Sendable (Root) -> [String], store: @escaping Store
  ) {
    self.name = name
    self.kind = kind
    self.documentation = documentation
    self.texts = texts
    self.store = store
    clear = { _ in }
  }

  static func duration(
    _ name: String, _ path: Path<Duration>, from least: Duration = .zero,
    to most: Duration = .seconds(86_400), wholeSeconds: Bool = false, _ documentation: String
  ) -> OptionKey {
    let kind = KeyKind.duration(least: least, most: most, wholeSeconds: wholeSeconds)
    return OptionKey(
      name, kind, documentation, texts: { [DurationText.text($0[keyPath: path])] }
    ) { (root, text) throws(ConfigurationError) in
      guard let duration = DurationText.duration(text) else {
        throw .value(.duration, key: name, text: text)
      }
      guard duration >= least, duration <= most else {
        throw .value(.durationRange(least: least, most: most), key: name, text: text)
      }
      if wholeSeconds, duration.components.attoseconds != 0 {
        throw .value(.wholeSeconds, key: name, text: text)
      }
      root[keyPath: path] = duration
    }
  }

  static func integer(
    _ name: String, _ path: Path<Int>, from least: Int, to most: Int, _ documentation: String
  ) -> OptionKey {
    OptionKey(
      name, .integer(least: least, most: most), documentation,
      texts: { ["\($0[keyPath: path])"] }
    ) { (root, text) throws(ConfigurationError) in
      guard isNumber(text.hasPrefix("-") ? text.dropFirst() : text[...]) else {
        throw .value(.integer, key: name, text: text)
      }
      guard let number = Int(text), number >= least, number <= most else {
        throw .value(.integerRange(least: least, most: most), key: name, text: text)
      }
      root[keyPath: path] = number
    }
  }

  static func boolean(
    _ name: String, _ path: Path<Bool>, _ documentation: String
  ) -> OptionKey {
    OptionKey(
      name, .boolean, documentation, texts: { ["\($0[keyPath: path])"] }
    ) { (root, text) throws(ConfigurationError) in
      guard let value = Bool(text) else { throw .value(.boolean, key: name, text: text) }
      root[keyPath: path] = value
    }
  }

  static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: Path<Choice>, later: [String] = [],
    as feature: @escaping @Sendable (String) -> LaterFeature = { .balance($0) },
    _ documentation: String
  ) -> OptionKey {
    let words = Choice.allCases.map(\.rawValue)
    return OptionKey(
      name, .choice(words), documentation, texts: { [$0[keyPath: path].rawValue] }
    ) { (root, text) throws(ConfigurationError) in
      if later.contains(text) {
        throw .value(.later(feature(text)), key: name, text: text)
      }
      guard let choice = Choice(rawValue: text) else {
        throw .value(.choice(words), key: name, text: text)
      }
      root[keyPath: path] = choice
    }
  }

  /// `FIRST-LAST`, two ports that may be one, or `any`.
  static func portRange(
    _ name: String, _ path: Path<ClosedRange<UInt16>?>, from least: UInt16,
    _ documentation: String
  ) -> OptionKey {
    OptionKey(
      name, .portRange(least: least), documentation,
      texts: { root in
        root[keyPath: path].map { ["\($0.lowerBound)-\($0.upperBound)"] } ?? ["any"]
      }
    ) { (root, text) throws(ConfigurationError) in
      if text == "any" { return root[keyPath: path] = nil }
      let ends = text.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, ends.allSatisfy({ isNumber($0) }), let first = UInt16(ends[0]),
        let last = UInt16(ends[1]), first >= least, first <= last
      else { throw .value(.portRange(least: least), key: name, text: text) }
      root[keyPath: path] = first...last
    }
  }

  static func name(
    _ name: String, _ path: Path<String>, _ documentation: String
  ) -> OptionKey {
    OptionKey(
      name, .name, documentation,
      texts: { root in root[keyPath: path].isEmpty ? [] : [root[keyPath: path]] }
    ) { (root, text) throws(ConfigurationError) in
      guard TunnelConfiguration.isName(text) else { throw .value(.name, key: name, text: text) }
      root[keyPath: path] = text
    }
  }
}

extension OptionKey {
  /// A key that takes several values, each text one or several of them.
  static func list<Element: CustomStringConvertible & Sendable>(
    _ name: String, _ kind: KeyKind, _ path: Path<[Element]>, _ documentation: String,
    read: @escaping @Sendable (String) throws(ConfigurationError) -> [Element]
  ) -> OptionKey {
    OptionKey(
      name: name, kind: kind, documentation: documentation,
      texts: { $0[keyPath: path].map(\.description) },
      store: { (root, text) throws(ConfigurationError) in
        root[keyPath: path] += try read(text)
      },
      clear: { $0[keyPath: path] = [] })
  }
}
