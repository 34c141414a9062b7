/// The name that was perhaps meant by `word`: one that it begins, or one that differs in a third of
/// its letters or fewer; nil when none is near.
func nearestName(to word: String, in names: [String]) -> String? {
  let letters = Array(word.utf8)
  guard letters.count > 1, letters.count <= 64 else { return nil }
  let begun = names.filter { $0.hasPrefix(word) }
  if begun.count == 1 { return begun[0] }
  let near = names.map { (name: $0, distance: distance(letters, Array($0.utf8))) }
    .filter { $0.distance <= max(1, $0.name.utf8.count / 3) }
  return near.min { $0.distance < $1.distance }?.name
}

/// The fewest letters inserted, removed, replaced or swapped with the next to make one word of the
/// other (optimal string alignment).
private func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var before: [Int] = []
  var above = Array(0...right.count)
  for i in left.indices {
    var row = [i + 1]
    for j in right.indices {
      var fewest = min(
        above[j] + (left[i] == right[j] ? 0 : 1), above[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
        fewest = min(fewest, before[j - 1] + 1)
      }
      row.append(fewest)
    }
    before = above
    above = row
  }
  return above[right.count]
}
