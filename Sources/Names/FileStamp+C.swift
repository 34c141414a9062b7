internal import Glibc

/// What tells one state of a file from another.
struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// Reads the stamp of what `path` leads to, links followed; nil when that cannot be read.
  init?(of path: String) {
    var status = stat()
    // The path is a C string for the time of the call, and stat(2) writes nothing but `status`.
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
