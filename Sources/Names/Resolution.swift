/// A name that somebody waits for.
public struct Resolution {
  private let waiter: Waiter

  init(_ waiter: Waiter) { self.waiter = waiter }

  /// Gives the answers up that have not come: nobody is called any more. The questions that are out
  /// run to their end, since others may wait for them and the answer is worth remembering.
  public func cancel() { waiter.cancel() }
}

/// Somebody who is to be called once for each family.
final class Waiter {
  private var answered: ((FamilyAnswer) -> Void)?
  private var isAwaited = FamilyPair(repeating: true)

  init(_ answered: @escaping (FamilyAnswer) -> Void) { self.answered = answered }

  func wants(_ family: AddressFamily) -> Bool { answered != nil && isAwaited[family] }

  func answer(_ answer: FamilyAnswer) {
    guard isAwaited[answer.family], let answered else { return }
    isAwaited[answer.family] = false
    if !isAwaited[answer.family.other] { self.answered = nil }
    answered(answer)
  }

  func answerBoth(_ content: FamilyAnswer.Content) {
    for family in AddressFamily.allCases { answer(FamilyAnswer(family, content)) }
  }

  func cancel() { answered = nil }
}
