import Glibc

/// The environment of a process that has no other thread yet that reads it.
enum TestEnvironment {
  static func set(_ name: String, _ value: String) {
    // Both are C strings for the time of the call, which copies them.
    unsafe setenv(name, value, 1)
  }
}
