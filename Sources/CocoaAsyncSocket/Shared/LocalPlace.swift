internal import Kernel
internal import Sockets

/// Where a socket is bound to, as callers write it: an interface's name, an address, `localhost`,
/// each with a `:port` behind it where one is wanted. An IPv6 address with a port stands in
/// brackets.
struct LocalPlace: Equatable {
  /// At most one address of each family; empty for any.
  var addresses: [IPAddress] = []
  /// The interface, where one is named.
  var interface: UInt32?
  var port: UInt16?

  /// Reads a text; nil and the empty text are any place. `interfaceAddresses` knows what addresses
  /// an interface has.
  init(
    _ text: String?, interfaceAddresses: (UInt32) -> [IPAddress] = InterfaceAddresses.of
  ) throws(SocketError) {
    guard let text, !text.isEmpty else { return }
    let (place, portText) = LocalPlace.split(text)
    if let portText {
      guard let number = UInt16(portText), portText.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
        throw .invalid("the port “\(portText)” in “\(text)”", expected: "0 to 65535")
      }
      port = number
    }
    switch place {
    case "": return
    case "localhost", "loopback": addresses = [.loopback4, .loopback6]
    default:
      if let address = IPAddress(place) {
        addresses = [address]
        return
      }
      // An index is no name: nobody writes one, and "1" would be an interface.
      guard UInt32(place) == nil, let index = Interface.index(named: place) else {
        throw .invalid(
          "the interface “\(place)” is not there", expected: "an interface's name or an address")
      }
      interface = index
      addresses = interfaceAddresses(index)
      guard !addresses.isEmpty else {
        throw .invalid(
          "the interface “\(place)” has no address", expected: "an interface that is up")
      }
    }
  }

  /// The place and the port, each as text.
  private static func split(_ text: String) -> (String, String?) {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      let inner = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      if rest.isEmpty { return (inner, nil) }
      if rest.hasPrefix(":") { return (inner, String(rest.dropFirst())) }
      return (text, nil)
    }
    // An address of IPv6 has several colons and, without brackets, no port.
    guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else {
      return (text, nil)
    }
    return (String(text[..<colon]), String(text[text.index(after: colon)...]))
  }
}
