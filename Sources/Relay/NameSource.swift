internal import Names

/// Where a relay's loop gets addresses for names, as a seam: `Resolver` asks DNS, tests answer
/// themselves.
protocol NameSource: AnyObject {
  /// Asks for both families; `answered` is called once for each, perhaps before this returns.
  func ask(_ name: String, answered: @escaping (FamilyAnswer) -> Void) -> any NameQuestion
  /// What is known of a name led nowhere: the next question asks DNS again.
  func forget(_ name: String)
  /// Lets go of the loop: no question is answered any more.
  func shutDown()
}

/// A question that can be taken back.
protocol NameQuestion {
  /// Makes that no answer comes any more.
  func cancel()
}

extension Resolver: NameSource {
  func ask(_ name: String, answered: @escaping (FamilyAnswer) -> Void) -> any NameQuestion {
    resolve(name, answered: answered)
  }
}

extension Resolution: NameQuestion {}
