internal import Kernel

/// Files that hold certificates and keys.
enum SmallFile {
  /// A bundle of all the world's authorities has 250 KiB.
  static let sizeLimit = 4 << 20

  static func read(_ path: String) throws(TLSError) -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = try WholeFile.read(path, limit: sizeLimit)
    } catch {
      throw .configuration("\(path): \(error)")
    }
    guard bytes.count <= sizeLimit else {
      throw .configuration("\(path) is larger than \(sizeLimit) bytes")
    }
    return bytes
  }
}
