internal import Configuration

/// Feeds one text to every grammar. What reads must print as text that reads the same; what does
/// not must say so in one line without control characters.
func checkGrammars(_ text: String) {
  checkListen(text)
  checkTargets(text)
  checkOptions(text)
  checkDuration(text)
}

private func checkListen(_ text: String) {
  do {
    let listen = try ListenSpecification(text)
    let again = try? ListenSpecification(listen.description)
    precondition(again == listen, "\(listen) reads differently")
  } catch {
    check(error)
  }
}

private func checkTargets(_ text: String) {
  do {
    for target in try TargetSpecification.list(text) {
      let again = try? TargetSpecification(target.description)
      precondition(again == target, "\(target) reads differently")
    }
  } catch {
    check(error)
  }
  do {
    let forward = try ForwardSpecification(text)
    precondition(!forward.targets.isEmpty, "a forward without a target")
  } catch {
    check(error)
  }
}

/// One key for each length of text: all keys for each text took most of the fuzzer's time.
private func checkOptions(_ text: String) {
  var tunnel = TunnelConfiguration()
  var process = ProcessConfiguration()
  let names = TunnelConfiguration.keys.map(\.name) + ProcessConfiguration.keys.map(\.name)
  for key in [names[text.utf8.count % names.count], text] {
    do {
      try ForwardOptions.apply(key: key, value: text, to: &tunnel, &process)
    } catch {
      check(error)
    }
  }
}

private func checkDuration(_ text: String) {
  guard let duration = DurationText.duration(text) else { return }
  let again = DurationText.duration(DurationText.text(duration))
  precondition(again == duration, "\(duration) reads differently")
}

private func check(_ error: ConfigurationError) {
  let sentence = error.description
  precondition(
    sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f },
    "a control character in a message")
  precondition(sentence.count <= 1000, "a message of \(sentence.count) characters")
}
