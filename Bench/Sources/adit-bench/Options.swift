import Foundation

/// What to measure, from the command line.
struct Options {
  var rounds = 5
  var seconds = 2.0
  var quick = false
  var sections = Section.allCases
  var relays: [String]?
  var threads = [1, 2]
  var idleConnections = 8000
  var adit = ".build/release/adit"
  var load = ""
  var json: String?
  var markdown: String?

  static let usage = """
    usage: adit-bench [--rounds 5] [--seconds 2] [--quick] [--only bulk,requests,connections,idle]
                      [--relays direct,adit,haproxy,haproxy-splice,nginx,socket-proxyd,socat]
                      [--threads 1,2] [--idle-connections 8000] [--adit PATH] [--load PATH]
                      [--json PATH] [--markdown PATH]
    """

  /// Reads the arguments that follow the program's name.
  init(arguments: [String], environment: [String: String]) throws(BenchError) {
    if let path = environment["ADIT"], !path.isEmpty { adit = path }
    var rest = arguments[...]
    while let key = rest.popFirst() {
      if key == "--quick" {
        beQuick()
        continue
      }
      guard let value = rest.popFirst() else { throw .usage("\(key) needs a value") }
      try set(key, value)
    }
  }

  private mutating func beQuick() {
    quick = true
    rounds = 1
    seconds = 0.5
    threads = [1]
    idleConnections = 1000
  }

  private mutating func set(_ key: String, _ value: String) throws(BenchError) {
    switch key {
    case "--rounds": rounds = try number(key, value, 1...50)
    case "--seconds": seconds = Double(try number(key, value, 1...60))
    case "--threads":
      threads = try list(key, value) { Int($0).flatMap { (1...64) ~= $0 ? $0 : nil } }
    case "--idle-connections": idleConnections = try number(key, value, 1...60000)
    case "--only": sections = try list(key, value) { Section(rawValue: $0) }
    case "--relays": relays = try list(key, value) { Relay.names.contains($0) ? $0 : nil }
    case "--adit": adit = value
    case "--load": load = value
    case "--json": json = value
    case "--markdown": markdown = value
    default: throw .usage("\(key) is not an option")
    }
  }

  private func number(_ key: String, _ text: String, _ range: ClosedRange<Int>)
    throws(BenchError) -> Int
  {
    guard let value = Int(text), range ~= value else {
      throw .usage("\(key) \(text): expected \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  private func list<Item>(_ key: String, _ text: String, _ item: (String) -> Item?)
    throws(BenchError) -> [Item]
  {
    var items: [Item] = []
    for word in text.split(separator: ",") {
      guard let value = item(String(word)) else {
        throw .usage("\(key): \(word) is not one of the words it takes")
      }
      items.append(value)
    }
    return items
  }
}

/// The parts of the benchmark that can be asked for alone.
enum Section: String, CaseIterable, Codable {
  case bulk, requests, connections, idle
}

/// Why the benchmark, or one measurement of it, could not go on.
enum BenchError: Error, CustomStringConvertible {
  case usage(String)
  case missing(String)
  case failed(String)

  var description: String {
    switch self {
    case .usage(let text): "\(text)\n\(Options.usage)"
    case .missing(let text), .failed(let text): text
    }
  }
}
