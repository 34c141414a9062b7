internal import Glibc

/// The process's environment, read and changed while it has one thread.
public enum Environment {
  /// The value of a variable; nil when it is not set.
  public static func value(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Removes a variable, so that no child inherits it.
  public static func remove(_ name: String) {
    unsafe unsetenv(name)
  }

  /// The process's number.
  public static var processIdentifier: Int32 { getpid() }

  /// Ends the process.
  public static func exit(_ code: Int32) -> Never {
    Glibc.exit(code)
  }
}
