internal import Foundation

extension Data {
  /// A copy of the bytes.
  init(copying bytes: RawSpan) {
    self = unsafe bytes.withUnsafeBytes { unsafe Data($0) }
  }
}

/// What the original has as a pointer to a variable of the caller's: `&host` fits it here too.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
