internal import Glibc
internal import Kernel

/// Programs that tests use when they are there.
public enum Programs {
  /// True when `name` can be run.
  public static func have(_ name: String) -> Bool {
    ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin"].contains {
      unsafe access("\($0)/\(name)", X_OK) == 0
    }
  }

  /// True when `name` can be run or this is the gate, where its absence is a failure.
  public static func mustHave(_ name: String) -> Bool {
    Environment.value("ADIT_REQUIRE_ROOT") == "1" || have(name)
  }
}
