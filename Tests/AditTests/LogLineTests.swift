import Configuration
import Kernel
import Testing

@testable import AditCommands
@testable import Relay

/// What stands in the logs.
@Suite struct LogLineTests {
  private static let record = FlowRecord(
    tunnel: "web", number: 17, client: .ip(.v4(0x7f00_0001), port: 5000),
    listener: .ip(.loopback6, port: 8080), local: .ip(.v4(0x7f00_0001), port: 40000),
    target: .ip(.v4(0x0a00_0001), port: 80),
    started: WallTime(nanoseconds: 1_769_847_300_123_000_000), duration: .milliseconds(61_034),
    bytesUp: 5, bytesDown: 7, bytesLost: 0, resetNotExpressible: false, end: .completed)

  private func line(_ record: FlowRecord, _ format: AccessFormat) -> String {
    var bytes: [UInt8] = []
    format.write(record, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("An ended flow is one line of text")
  func text() {
    #expect(
      line(Self.record, .text)
        == "2026-01-31T08:16:01.157Z web/17 127.0.0.1:5000 [::1]:8080 127.0.0.1:40000 10.0.0.1:80"
        + " 5 7 61.034 completed\n")
  }

  @Test("What is not known is a dash, and what is odd stands at the end")
  func textWithDetails() {
    var record = Self.record
    record.client = .unix(.unnamed)
    record.listener = .unix(.path("/tmp/a b"))
    record.local = nil
    record.target = nil
    record.duration = .milliseconds(5)
    record.bytesLost = 9
    record.resetNotExpressible = true
    record.end = .targetUnreachable(.system(.connectionRefused))
    #expect(
      line(record, .text)
        == "2026-01-31T08:15:00.128Z web/17 unix: unix:/tmp/a\\x20b - - 5 7 0.005"
        + " target-unreachable error=\"Connection refused (ECONNREFUSED)\" lost=9"
        + " reset-not-expressible\n")
  }

  @Test("A session of UDP says so")
  func datagrams() {
    var record = Self.record
    record.traffic = .udp
    record.end = .evicted
    #expect(line(record, .text).hasSuffix(" evicted protocol=udp\n"))
  }

  @Test("An ended flow is one JSON object with keys that do not change")
  func json() {
    #expect(
      line(Self.record, .json)
        == "{\"time\":\"2026-01-31T08:16:01.157Z\",\"flow\":\"web/17\","
        + "\"protocol\":\"tcp\","
        + "\"tunnel\":\"web\",\"number\":17,\"client\":\"127.0.0.1:5000\","
        + "\"listener\":\"[::1]:8080\","
        + "\"local\":\"127.0.0.1:40000\",\"target\":\"10.0.0.1:80\","
        + "\"started\":\"2026-01-31T08:15:00.123Z\",\"duration-ms\":61034,\"bytes-up\":5,"
        + "\"bytes-down\":7,\"bytes-lost\":0,\"end\":\"completed\",\"error\":null,"
        + "\"reset-not-expressible\":false}\n")
  }

  @Test("JSON escapes what it must and nothing else")
  func jsonEscapes() {
    let value = JSONValue.object([
      "a\"b": .array([.null, .boolean(true), .integer(-3), .string("\\ \n \t \u{1} ü €")])
    ])
    #expect(value.text == "{\"a\\\"b\":[null,true,-3,\"\\\\ \\n \\t \\u0001 ü €\"]}")
  }

  @Test(
    "Times are right at the edges of the calendar",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (1_798_761_599_999, "2026-12-31T23:59:59.999Z"),
    ] as [(UInt64, String)])
  func timestamps(milliseconds: UInt64, text: String) {
    #expect(Timestamp(WallTime(nanoseconds: milliseconds * 1_000_000)).description == text)
  }

  @Test("Messages are lines for people and objects for programs")
  func messages() {
    let message = LogMessage.warning("odd", "odd thing", ["count": .integer(3)])
    let time = WallTime(nanoseconds: 0)
    #expect(message.line(json: false, at: time) == "warning: odd thing")
    #expect(
      message.line(json: true, at: time)
        == "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"warning\",\"event\":\"odd\","
        + "\"count\":3,\"message\":\"odd thing\"}")
  }

  @Test("A listener's line says more on a terminal")
  func listening() throws {
    let tunnel = TunnelConfiguration(
      name: "a", targets: try TargetSpecification.list("10.0.0.1:80,web.example:81"))
    let loopback = SocketAddress.ip(.loopback4, port: 8080)
    let line = "listening tcp 127.0.0.1:8080 -> 10.0.0.1:80,web.example:81"
    #expect(LogMessage.listening(at: loopback, for: tunnel, onTerminal: false).text == line)
    #expect(
      LogMessage.listening(at: loopback, for: tunnel, onTerminal: true).text
        == line + " (this machine only; any:8080 for all)")
    #expect(
      LogMessage.listening(at: .ip(.any6, port: 80), for: tunnel, onTerminal: true).text
        == "listening tcp [::]:80 -> 10.0.0.1:80,web.example:81")
    #expect(
      LogMessage.listening(at: .unix(.abstract("x")), for: tunnel, onTerminal: true).text
        == "listening unix:@x -> 10.0.0.1:80,web.example:81")
  }

  @Test(
    "The access log is text, off on a terminal, JSON beside --json, and what --log says",
    arguments: [
      (LogFormat.auto, false, false, AccessFormat.text), (.auto, true, false, nil),
      (.auto, false, true, .json), (.text, true, true, .text), (.json, true, false, .json),
      (.off, false, true, nil),
    ] as [(LogFormat, Bool, Bool, AccessFormat?)])
  func formats(log: LogFormat, terminal: Bool, json: Bool, format: AccessFormat?) {
    var process = ProcessConfiguration()
    process.log = log
    let options = LogOptions(
      process, json: json, outputIsTerminal: terminal, errorIsTerminal: false)
    #expect(options.format == format)
  }

  @Test(
    "Rates are told in thousands",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345_678, "12.3 MB"),
      (UInt64.max, "18.4 EB"),
    ] as [(UInt64, String)])
  func rates(bytes: UInt64, text: String) {
    #expect(ByteRates.text(bytes) == text)
  }

  @Test("The live line has flows, rates and totals")
  func liveLine() {
    var before = RelayCounters()
    before.bytesUp = 1000
    var after = before
    after.bytesUp = 3000
    after.bytesDown = 10
    after.ended = 4
    let rates = ByteRates(flows: 3, before: before, after: after, elapsed: .milliseconds(2000))
    #expect(rates.text == "3 flows  up 1.0 kB/s (3.0 kB)  down 5 B/s (10 B)  4 ended")
  }
}
