internal import Glibc

/// What stat(2) says of a path, as far as sockets need it.
public struct FileStatus: Hashable, Sendable {
  /// True for a unix socket.
  public let isSocket: Bool
  /// The owner's user id.
  public let owner: UInt32
  /// The device and inode, which together are the file's identity.
  public let device: UInt64
  /// The inode.
  public let inode: UInt64

  /// Reads the status of `path` itself: a symbolic link is not followed. Nil when nothing is there.
  public init?(of path: String) throws(Errno) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw Errno(rawValue: errno)
    }
    isSocket = status.st_mode & S_IFMT == S_IFSOCK
    owner = status.st_uid
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// The user id that this process acts as.
  public static var ownUser: UInt32 { geteuid() }

  /// Removes the name `path` from its folder.
  public static func unlink(_ path: String) throws(Errno) {
    guard unsafe Glibc.unlink(path) == 0 else { throw Errno(rawValue: errno) }
  }
}
