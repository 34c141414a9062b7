internal import Kernel

extension PeerName {
  /// The address that a literal is, without brackets and scope; nil for a name.
  static func address(_ text: String) -> String? {
    var literal = text[...]
    if literal.hasPrefix("["), literal.hasSuffix("]") { literal = literal.dropFirst().dropLast() }
    // The scope is this machine's matter; no certificate knows of it.
    let bare = literal.prefix { $0 != "%" }
    return IPAddress(bare)?.description
  }
}
