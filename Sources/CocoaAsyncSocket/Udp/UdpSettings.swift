internal import Foundation

/// What a caller sets on a socket and what stays over its closing.
struct UdpSettings {
  enum Preference {
    case v4
    case v6
    case neutral
  }

  var isIPv4Enabled = true
  var isIPv6Enabled = true
  var preference = Preference.neutral
  var maxReceiveIPv4BufferSize = UInt16.max
  var maxReceiveIPv6BufferSize = UInt32(UInt16.max)
  var maxSendBufferSize = UInt16.max
  var userData: Any?
}

/// What a filter let through, on its way between queues; one thread has it at a time, which is the
/// guard of the `@unchecked`.
struct UdpArrival: @unchecked Sendable {
  let data: Data
  let address: Data
  var context: Any?
}
