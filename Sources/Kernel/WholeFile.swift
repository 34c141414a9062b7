internal import CKernel
internal import Glibc

/// Small files, read at once.
public enum WholeFile {
  /// The file's bytes, at most `limit` of them; one more tells that there are more.
  public static func read(_ path: String, limit: Int) throws(Errno) -> [UInt8] {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw Errno(rawValue: errno) }
    let file = Descriptor(adopting: number)
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let count = Int(try check(unsafe adit_read(file.number, &part, part.count)))
      if count == 0 { break }
      bytes += part[..<count]
    }
    return Array(bytes.prefix(limit + 1))
  }
}
