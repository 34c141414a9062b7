internal import COpenSSL

/// The owner of one reference to OpenSSL's session.
///
/// The guard of the `@unchecked`: a session that is in the cache is only read; OpenSSL keeps its
/// count under a lock of its own.
@safe final class SessionHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over a reference.
  init(owning pointer: OpaquePointer) {
    unsafe self.pointer = pointer
  }

  deinit { unsafe SSL_SESSION_free(pointer) }

  var isResumable: Bool { unsafe SSL_SESSION_is_resumable(pointer) == 1 }

  /// A ticket of TLS 1.3 that is shown twice would let others see that it is the same client.
  var isForOneUse: Bool {
    unsafe SSL_SESSION_get_protocol_version(pointer) == TLSVersion.v1_3.wireNumber
  }
}
