public import Dispatch
public import Foundation
internal import Kernel
internal import TLS

// Darwin's functions on `SecTrust`. They write their second answer to a place of the caller's.

/// What `SecTrustEvaluate` found.
public enum SecTrustResultType: UInt32, Sendable {
  /// Nothing was asked yet.
  case invalid = 0
  /// The user said yes.
  case proceed = 1
  /// The user said no.
  case deny = 3
  /// The chain is trusted.
  case unspecified = 4
  /// The chain is not trusted; the caller may know better.
  case recoverableTrustFailure = 5
  /// The chain is not trusted.
  case fatalTrustFailure = 6
  /// Something else failed.
  case otherError = 7
}

/// Makes a trust of one certificate or a list, and of one policy or a list or none.
public func SecTrustCreateWithCertificates(
  _ certificates: Any, _ policies: Any?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
  let chain = elements(certificates, SecCertificate.self)
  guard !chain.isEmpty else { return errSecParam }
  let named = policies.map { elements($0, SecPolicy.self) } ?? []
  let policies = named.isEmpty ? [SecPolicyCreateBasicX509()] : named
  unsafe trust.pointee = SecTrust(certificates: chain.map(\.certificate), policies: policies)
  return errSecSuccess
}

/// One element, or those of a list.
private func elements<Element: AnyObject>(_ any: Any, _: Element.Type) -> [Element] {
  if let one = any as? Element { return [one] }
  if let list = any as? [Element] { return list }
  return (any as? NSArray)?.compactMap { $0 as? Element } ?? []
}

/// True when the chain is trusted; else `error` says why it is not.
public func SecTrustEvaluateWithError(
  _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool {
  let answer = trust.evaluate()
  unsafe error?.pointee = answer.error
  return answer.fault == nil
}

/// What `SecTrustEvaluateAsyncWithError` calls.
public typealias SecTrustWithErrorCallback = @Sendable (SecTrust, Bool, CFError?) -> Void

/// Evaluates on a queue and calls back there.
public func SecTrustEvaluateAsyncWithError(
  _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
  queue.async {
    let answer = trust.evaluate()
    result(trust, answer.fault == nil, answer.error)
  }
  return errSecSuccess
}

/// The old form of evaluation.
public func SecTrustEvaluate(
  _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
  unsafe result.pointee = trust.evaluate().result
  return errSecSuccess
}

/// What was found out last.
public func SecTrustGetTrustResult(
  _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
  unsafe result.pointee = trust.state.withLock { $0.answer }?.result ?? .invalid
  return errSecSuccess
}

/// Names the anchors; from then on the system's authorities do not count, unless
/// `SecTrustSetAnchorCertificatesOnly` says so. Nil takes it back.
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus {
  guard let anchors else {
    trust.change { $0.anchors = nil }
    return errSecSuccess
  }
  let certificates = elements(anchors, SecCertificate.self).map(\.certificate)
  guard certificates.count == anchors.count else { return errSecParam }
  trust.change { state in
    state.anchors = certificates
    state.anchorsOnly = true
  }
  return errSecSuccess
}

/// Whether only the named anchors count.
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus {
  trust.change { $0.anchorsOnly = only }
  return errSecSuccess
}

/// Sets one policy, or a list.
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: Any) -> OSStatus {
  let policies = elements(policies, SecPolicy.self)
  guard !policies.isEmpty else { return errSecParam }
  trust.change { $0.policies = policies }
  return errSecSuccess
}

/// Gives the policies.
public func SecTrustCopyPolicies(
  _ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  unsafe policies.pointee = trust.state.withLock { $0.policies } as CFArray
  return errSecSuccess
}

/// For which moment the chain is evaluated.
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ date: CFDate) -> OSStatus {
  let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down))
  guard let seconds else { return errSecParam }
  trust.change { $0.seconds = seconds }
  return errSecSuccess
}

/// How many certificates the chain has: as given, or as followed once it was evaluated.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.chain.count }

/// A certificate of the chain; nil when it has no such place.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: CFIndex) -> SecCertificate? {
  let chain = trust.chain
  return chain.indices.contains(index) ? SecCertificate(chain[index]) : nil
}

/// The chain, the certificate in question first.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
  trust.chain.map { SecCertificate($0) } as CFArray
}

/// The public key of the certificate in question.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
  trust.chain.first.map { SecKey(.ofCertificate($0)) }
}

/// The old name of `SecTrustCopyKey`.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

extension ChainAnswer {
  fileprivate var result: SecTrustResultType {
    fault == nil ? .unspecified : .recoverableTrustFailure
  }

  fileprivate var error: CFError? {
    guard let fault, case .untrusted(let reason) = verdict else { return nil }
    return NSError(
      domain: NSOSStatusErrorDomain, code: Int(fault.status),
      userInfo: [NSLocalizedDescriptionKey: reason])
  }
}
