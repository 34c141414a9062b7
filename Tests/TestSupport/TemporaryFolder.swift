internal import Foundation
internal import Glibc

/// A folder of its own for a test, removed with all that is in it when the test lets go of it.
public final class TemporaryFolder: Sendable {
  /// The folder's path.
  public let path: String

  /// Makes an empty folder that only this user can enter.
  public init() throws {
    var template = Array("/tmp/adit-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw POSIXFailure(errno) }
    path = String(
      decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder, there or not.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: file(name)))
    return file(name)
  }
}

/// A system call of a test that failed.
public struct POSIXFailure: Error, CustomStringConvertible {
  /// The error number.
  public let code: Int32

  /// Takes an error number.
  public init(_ code: Int32) { self.code = code }

  /// The system's sentence.
  public var description: String { unsafe String(cString: strerror(code)) }
}
