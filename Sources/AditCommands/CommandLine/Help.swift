/// The text of `adit help` and `--help`.
enum Help {
  static func text(for verb: Verb?) -> String { "usage: adit" }
}
