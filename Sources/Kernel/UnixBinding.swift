/// Why a unix socket cannot have its name.
public enum UnixBindingError: Error, Hashable, Sendable {
  /// The system refused.
  case refused(Errno)
  /// Somebody listens there.
  case inUse
  /// The file is no socket, or another user's: it is left alone.
  case notOurs
}

extension Descriptor {
  /// Gives a unix socket its name. The file that a program of this user has left behind is
  /// replaced; one at which somebody listens, and what is no socket, stay. Returns the file that
  /// was made, by which its maker knows it when it is to be removed.
  @discardableResult
  public borrowing func bind(
    replacingStale name: UnixName
  ) throws(UnixBindingError) -> FileStatus? {
    let address = SocketAddress.unix(name)
    do {
      try bind(to: address)
    } catch {
      guard error == .addressInUse else { throw .refused(error) }
      guard case .path(let path) = name else { throw .refused(.addressInUse) }
      try Descriptor.removeStale(path)
      do { try bind(to: address) } catch { throw .refused(error) }
    }
    guard case .path(let path) = name else { return nil }
    return try? FileStatus(of: path)
  }

  private static func removeStale(_ path: String) throws(UnixBindingError) {
    do {
      guard let found = try FileStatus(of: path) else { return }
      guard found.isSocket, found.owner == FileStatus.ownUser else {
        throw UnixBindingError.notOurs
      }
      guard try !isAlive(path) else { throw UnixBindingError.inUse }
      try FileStatus.unlink(path)
    } catch let error as UnixBindingError {
      throw error
    } catch let error as Errno {
      throw .refused(error)
    } catch {
      preconditionFailure("the system fails with error numbers only")
    }
  }

  /// True unless a connection to the socket file is refused.
  private static func isAlive(_ path: String) throws(Errno) -> Bool {
    let address = SocketAddress.unix(.path(path))
    let probe = try Descriptor.streamSocket(for: address)
    do {
      _ = try probe.connect(to: address)
      return true
    } catch {
      return error != .connectionRefused
    }
  }
}

extension FileStatus {
  /// Removes the file at `path` if it is still this one.
  public func remove(at path: String) {
    if let present = try? FileStatus(of: path), present == self { try? FileStatus.unlink(path) }
  }
}
