/// One departure from the rules of the house: where it is and what would be right.
struct Finding: Hashable, CustomStringConvertible {
  var path: String
  var line: Int
  var advice: String

  var description: String { "\(path):\(line): \(advice)" }
}
