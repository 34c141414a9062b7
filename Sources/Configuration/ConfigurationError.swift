/// Everything that can be wrong with a configuration: what, where, and what would be right.
public enum ConfigurationError: Error, Hashable, Sendable {
  /// A LISTEN or TARGET that does not read.
  case text(TextFault, at: TextPlace)
  /// A value that does not fit its key.
  case value(ValueFault, key: String, text: String)
  /// A key that is not in the schema, and the one that was perhaps meant.
  case unknownKey(String, nearest: String?)
  /// A key that is in the schema and not in this version.
  case laterKey(LaterKey)
  /// What the document as a whole lacks or has too much of.
  case document(DocumentFault)
  /// What does not go with what the tunnel carries.
  case transport(TransportFault)

  /// A short word for programs.
  public var code: String {
    switch self {
    case .text(let fault, _): fault.code
    case .value(let fault, _, _): fault.code
    case .unknownKey: "key-unknown"
    case .laterKey: LaterFeature.code
    case .document(let fault): fault.code
    case .transport(let fault): fault.code
    }
  }

  /// What is wrong, with the text concerned and its column.
  public var what: String {
    switch self {
    case .text(let fault, let place):
      "\(quoted(place.text)): column \(place.column): \(fault.what)"
    case .value(let fault, _, let text): fault.what(text)
    case .unknownKey(let key, _): "\(quoted(key)) is not a key that is known here"
    case .laterKey(let key): LaterFeature.key(key).what
    case .document(let fault): fault.what
    case .transport(let fault): fault.what
    }
  }

  /// What would be right.
  public var expected: String {
    switch self {
    case .text(let fault, let place): fault.expected(in: place.role)
    case .value(let fault, _, _): fault.expected
    case .unknownKey(_, let nearest?): "did you mean \(quoted(nearest))?"
    case .unknownKey(_, nil): "leave it out"
    case .laterKey(let key): LaterFeature.key(key).expected
    case .document(let fault): fault.expected
    case .transport(let fault): fault.expected
    }
  }

  /// The key or the word of the command line that is concerned, where `what` does not name it.
  public var subject: String? {
    switch self {
    case .text(_, let place): place.role.rawValue
    case .value(_, let key, _): key
    case .unknownKey, .laterKey, .document, .transport: nil
    }
  }

  /// What is wrong and what would be right, without the subject.
  public var message: String { "\(what); \(expected)" }
}

extension ConfigurationError: CustomStringConvertible {
  /// The whole sentence: `listen "8080x": column 5: 'x' is not part of a port; a port is …`.
  public var description: String {
    switch self {
    case .text(_, let place): "\(place.role.rawValue) \(message)"
    case .value(_, let key, _): "\(key): \(message)"
    case .unknownKey, .laterKey, .document, .transport: message
    }
  }
}
