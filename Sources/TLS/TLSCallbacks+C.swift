internal import COpenSSL

/// What OpenSSL calls while it works for an engine, on the engine's thread.
enum TLSCallbacks {
  /// The engine whose connection it is; alive, since it is the one that called OpenSSL.
  private static func engine(of ssl: OpaquePointer?) -> TLSEngine? {
    guard let place = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
    return unsafe Unmanaged<TLSEngine>.fromOpaque(place).takeUnretainedValue()
  }

  /// Verifies a chain, or puts it off.
  static let verify: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = {
    context, _ in
    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let context = unsafe context,
      let ssl = unsafe X509_STORE_CTX_get_ex_data(context, index),
      let engine = unsafe engine(of: OpaquePointer(ssl))
    else { return 0 }
    return unsafe engine.verify(context) ? 1 : 0
  }

  /// Takes over a session that can be resumed.
  static let keepSession: @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32 = {
    ssl, session in
    guard let session = unsafe session, let engine = unsafe engine(of: ssl) else { return 0 }
    return unsafe engine.keep(session) ? 1 : 0
  }

  /// Chooses a server's identity by name.
  static let chooseIdentity:
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<Int32>?, UnsafeMutableRawPointer?
    ) -> Int32 = { ssl, alert, _ in
      guard let engine = unsafe engine(of: ssl) else { return SSL_TLSEXT_ERR_NOACK }
      // The text belongs to the connection; it is copied.
      let name = unsafe adit_ssl_asked_name(ssl).map { unsafe String(cString: $0) }
      if engine.chooseIdentity(for: name) { return SSL_TLSEXT_ERR_OK }
      unsafe alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
      return SSL_TLSEXT_ERR_ALERT_FATAL
    }

  /// Chooses the first of the server's protocols that the client has too.
  static let selectProtocol:
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
      UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
    ) -> Int32 = { ssl, chosen, chosenCount, offered, offeredCount, _ in
      guard let engine = unsafe engine(of: ssl) else { return SSL_TLSEXT_ERR_NOACK }
      let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
      guard
        let place = unsafe TLSCallbacks.place(in: list, of: engine.context.protocolList)
      else { return SSL_TLSEXT_ERR_ALERT_FATAL }
      // The answer points into what the client offered, as OpenSSL allows.
      unsafe chosen?.pointee = unsafe offered.map { unsafe $0 + place.lowerBound }
      unsafe chosenCount?.pointee = UInt8(place.count)
      return SSL_TLSEXT_ERR_OK
    }

  /// Notes the secret that a server may have to seal its refusal with.
  static let noteSecret: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Void = {
    ssl, line in
    guard let line = unsafe line, let engine = unsafe engine(of: ssl) else { return }
    engine.noteSecret(line: unsafe String(cString: line))
  }

  /// Where in `offered` the first of the protocols in `wanted` stands that is there. Both are
  /// lists of names behind their lengths.
  private static func place(
    in offered: UnsafeBufferPointer<UInt8>, of wanted: [UInt8]
  ) -> Range<Int>? {
    var next = 0
    while next < wanted.count {
      let name = wanted[(next + 1)..<(next + 1 + Int(wanted[next]))]
      next += 1 + name.count
      var at = 0
      // A client's list may be cut short: what does not fit into it is not looked at.
      while at < offered.count {
        let range = (at + 1)..<(at + 1 + Int(unsafe offered[at]))
        guard range.upperBound <= offered.count else { break }
        if unsafe name.elementsEqual(offered[range]) { return range }
        at = range.upperBound
      }
    }
    return nil
  }
}
