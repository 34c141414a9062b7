public import Foundation

/// What functions of this module answer: `errSecSuccess` or why not.
public typealias OSStatus = Int32

/// All is well.
public let errSecSuccess: OSStatus = 0
/// The function is not there.
public let errSecUnimplemented: OSStatus = -4
/// An argument cannot be used.
public let errSecParam: OSStatus = -50
/// The bytes cannot be read.
public let errSecDecode: OSStatus = -26275
/// The password is wrong.
public let errSecAuthFailed: OSStatus = -25293
/// The password is wrong, of PKCS #12.
public let errSecPkcs12VerifyFailure: OSStatus = -25264
/// There is no such item.
public let errSecItemNotFound: OSStatus = -25300
/// The certificate is for other hosts.
public let errSecHostNameMismatch: OSStatus = -67602
/// The certificate's time is over.
public let errSecCertificateExpired: OSStatus = -67818
/// The certificate's time has not come.
public let errSecCertificateNotValidYet: OSStatus = -67819
/// The certificate is not for this use.
public let errSecInvalidExtendedKeyUsage: OSStatus = -67609
/// The chain leads to nobody who is trusted.
public let errSecNotTrusted: OSStatus = -67843

/// A sentence about a status.
public func SecCopyErrorMessageString(
  _ status: OSStatus, _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
  let sentence =
    switch status {
    case errSecSuccess: "No error."
    case errSecUnimplemented: "The function is not there."
    case errSecParam: "An argument cannot be used."
    case errSecDecode: "The bytes cannot be read."
    case errSecAuthFailed, errSecPkcs12VerifyFailure: "The password is wrong."
    case errSecItemNotFound: "There is no such item."
    case errSecHostNameMismatch: "The certificate is for other hosts."
    case errSecCertificateExpired: "The certificate's time is over."
    case errSecCertificateNotValidYet: "The certificate's time has not come."
    case errSecInvalidExtendedKeyUsage: "The certificate is not for this use."
    case errSecNotTrusted: "The chain leads to nobody who is trusted."
    default: "Error \(status)."
    }
  return sentence as CFString
}
