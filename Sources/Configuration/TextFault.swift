/// What is wrong with a text of the grammar.
public enum TextFault: Hashable, Sendable {
  /// The text as a whole.
  case form(FormFault)
  /// The port.
  case port(PortFault)
  /// The address.
  case address(AddressFault)
  /// The host's name.
  case host(HostFault)
  /// The unix socket's name.
  case unix(UnixFault)
  /// Something that this version does not have yet.
  case later(LaterFeature)

  var code: String {
    switch self {
    case .form(let fault): fault.code
    case .port(let fault): fault.code
    case .address(let fault): fault.code
    case .host(let fault): fault.code
    case .unix(let fault): fault.code
    case .later: LaterFeature.code
    }
  }

  var what: String {
    switch self {
    case .form(let fault): fault.what
    case .port(let fault): fault.what
    case .address(let fault): fault.what
    case .host(let fault): fault.what
    case .unix(let fault): fault.what
    case .later(let feature): feature.what
    }
  }

  func expected(in role: GrammarRole) -> String {
    switch self {
    case .form(let fault): fault.expected(in: role)
    case .port(let fault): fault.expected(in: role)
    case .address(let fault): fault.expected(in: role)
    case .host(let fault): fault.expected
    case .unix(let fault): fault.expected
    case .later(let feature): feature.expected
    }
  }
}

/// What can be wrong with a text as a whole.
public enum FormFault: Hashable, Sendable {
  /// Nothing at all.
  case empty
  /// More bytes than are read.
  case long(limit: Int)
  /// `scheme://` with a scheme that Adit does not know.
  case scheme(String)
  /// `PORT/suffix` with a suffix that Adit does not know.
  case suffix(String)
  /// A scheme and a suffix that differ.
  case twoTransports
  /// Nothing between two commas, or at an end.
  case elementMissing
  /// No `=` between LISTEN and TARGET.
  case equalsMissing
  /// `fd:` without a name.
  case inheritedMissing
  /// A character that the service manager takes in no name.
  case inheritedCharacter(Character)
  /// A name longer than the service manager takes.
  case inheritedLong

  var code: String {
    switch self {
    case .empty: "text-empty"
    case .long: "text-long"
    case .scheme: "scheme-unknown"
    case .suffix: "suffix-unknown"
    case .twoTransports: "transport-twice"
    case .elementMissing: "target-missing"
    case .equalsMissing: "equals-missing"
    case .inheritedMissing: "fd-missing"
    case .inheritedCharacter: "fd-syntax"
    case .inheritedLong: "fd-long"
    }
  }

  var what: String {
    switch self {
    case .empty: "there is nothing"
    case .long(let limit): "the text has more than \(limit) bytes"
    case .scheme(let scheme): "\(quoted(scheme)) is not a scheme that is known here"
    case .suffix(let suffix): "\(quoted(suffix)) is not a protocol that is known here"
    case .twoTransports: "the scheme in front says something else"
    case .elementMissing: "a target is missing"
    case .equalsMissing: "there is no '=' between LISTEN and TARGET"
    case .inheritedMissing: "the name of the inherited socket is missing"
    case .inheritedCharacter(let character):
      "\(quoted(character)) is not part of an inherited socket's name"
    case .inheritedLong: "the inherited socket's name has more than 255 bytes"
    }
  }

  func expected(in role: GrammarRole) -> String {
    switch self {
    case .empty, .long:
      switch role {
      case .listen: "write [ADDRESS:]PORT, unix:PATH or fd:NAME"
      case .target: "write HOST:PORT[,HOST:PORT...] or unix:PATH"
      case .forward: "write LISTEN=TARGET"
      }
    case .scheme: "write tcp://, udp:// or no scheme"
    case .suffix: "write PORT/tcp, PORT/udp or the port alone"
    case .twoTransports: "write one of them"
    case .elementMissing: "write HOST:PORT between commas"
    case .equalsMissing: "write LISTEN=TARGET, as in \"8080=web.example:80\""
    case .inheritedMissing: "write fd:NAME with the FileDescriptorName= of the socket unit"
    case .inheritedCharacter, .inheritedLong:
      "such a name is at most 255 printable ASCII characters without space or colon"
    }
  }
}
