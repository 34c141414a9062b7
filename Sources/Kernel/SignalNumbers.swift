internal import Glibc

extension SignalSource {
  /// SIGINT: Ctrl-C.
  public static let interrupt = SIGINT
  /// SIGTERM: a polite request to end.
  public static let terminate = SIGTERM
  /// SIGHUP: read the configuration again.
  public static let hangUp = SIGHUP
}
