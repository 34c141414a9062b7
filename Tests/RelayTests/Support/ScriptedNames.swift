import Kernel
import Names

@testable import Relay

/// Names that a test answers when it likes.
final class ScriptedNames: NameSource {
  private(set) var asked: [String] = []
  private(set) var forgotten: [String] = []
  private(set) var cancelled = 0
  private var waiting: [(FamilyAnswer) -> Void] = []
  /// Given to every question at once, when there are any.
  var answers: [FamilyAnswer] = []

  func ask(_ name: String, answered: @escaping (FamilyAnswer) -> Void) -> any NameQuestion {
    asked.append(name)
    if answers.isEmpty { waiting.append(answered) }
    for answer in answers { answered(answer) }
    return Question(names: self)
  }

  func forget(_ name: String) { forgotten.append(name) }
  func shutDown() { waiting = [] }

  /// Answers every question that waits.
  func answer(_ answer: FamilyAnswer) {
    for answered in waiting { answered(answer) }
  }

  private struct Question: NameQuestion {
    let names: ScriptedNames
    func cancel() { names.cancelled += 1 }
  }
}
