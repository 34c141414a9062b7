/// The version of this program: the one place in the source. The file `VERSION` says the same to
/// the build, and a test compares the two.
enum Version {
  static let text = "0.1.0"
}
