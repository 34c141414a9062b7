/// `adit doctor`: what a machine has, could have more of and lacks, and what to do about it.
struct Diagnosis: Hashable, Sendable {
  enum Verdict: String, Hashable, Sendable {
    /// As good as Adit can use it.
    case ok
    /// It works, less well.
    case warn
    /// A feature is not there.
    case missing
  }

  struct Finding: Hashable, Sendable {
    let verdict: Verdict
    let what: String
    let value: String
    /// What it means and, where something is to be done, what.
    let meaning: String

    var text: String { "\(verdict.rawValue) \(what): \(value); \(meaning)" }
  }

  let findings: [Finding]

  init(_ facts: MachineFacts) {
    findings =
      [Self.kernel(facts), Self.descriptors(facts)] + Self.pipes(facts) + Self.sockets(facts)
      + [Self.ipv6(facts), Self.names(facts)]
  }

  var exitCode: ExitCode { findings.contains { $0.verdict == .missing } ? .failed : .done }

  /// A line a finding.
  var text: String { findings.map(\.text).joined(separator: "\n") }

  /// One object.
  var json: JSONValue {
    let list = findings.map { finding -> JSONValue in
      .object([
        "verdict": .string(finding.verdict.rawValue), "what": .string(finding.what),
        "value": .string(finding.value), "meaning": .string(finding.meaning),
      ])
    }
    return .object(["ok": .boolean(exitCode == .done), "findings": .array(list)])
  }
}
