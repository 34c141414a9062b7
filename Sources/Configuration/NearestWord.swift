/// The word nearest to `word`, for "did you mean"; nil when none is near.
///
/// A word is near when a third of its letters or fewer were mistyped, when it alone begins with
/// `word`, or when it is the last part of a dotted or dashed one (`flows` of `limits.flows`).
public func nearest(to word: String, in words: [String]) -> String? {
  let letters = Array(word.lowercased().utf8)
  guard !letters.isEmpty, letters.count <= 64 else { return nil }
  if let whole = words.first(where: { $0.hasSuffix("." + word) || $0.hasSuffix("-" + word) }) {
    return whole
  }
  let begun = words.filter { $0.hasPrefix(word) }
  if begun.count == 1, letters.count > 1 { return begun[0] }
  var best: (word: String, distance: Int)?
  for candidate in words {
    let distance = distance(letters, Array(candidate.utf8))
    guard distance <= max(1, candidate.utf8.count / 3) else { continue }
    if let found = best, found.distance <= distance { continue }
    best = (candidate, distance)
  }
  return best?.word
}

/// The fewest letters inserted, removed, replaced or swapped with the next to make one word of the
/// other (optimal string alignment).
private func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var before: [Int] = []
  var above = Array(0...right.count)
  for i in left.indices {
    var row = [i + 1]
    for j in right.indices {
      let replaced = above[j] + (left[i] == right[j] ? 0 : 1)
      var fewest = min(replaced, above[j + 1] + 1, row[j] + 1)
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
