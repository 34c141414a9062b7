import Testing

@testable import FTP

@Suite struct DataFormsTests {
  @Test(
    "The six numbers of a 227 are found wherever they stand",
    arguments: [
      "Entering Passive Mode (192,0,2,9,195,80).", "Entering Passive Mode 192,0,2,9,195,80",
      "=192,0,2,9,195,80", "Mode ( 192 , 0, 2 ,9 ,195,80 )", "on 3 hosts 10,0,0,1,195,80.",
      "192,000,2,9,195,080",
    ])
  func sixNumbers(text: String) {
    #expect(DataForms.sixNumbers(in: text.utf8) == 50_000)
  }

  @Test(
    "Numbers that are too large, too few or not there name no port",
    arguments: ["(256,0,2,9,195,80)", "(192,0,2,9,195)", "(192,0,2,9,195,256)", "", "(,,,,,)"])
  func noSixNumbers(text: String) {
    #expect(DataForms.sixNumbers(in: text.utf8) == nil)
  }

  @Test(
    "A 229 is read with any delimiter, one too few, and the family filled in",
    arguments: [
      "Mode (|||50000|)", "Mode (!!!50000!)", "Mode (||50000|)", "ok (|1|192.0.2.9|50000|)",
      "ok (|2|2001:db8::9|50000|).", "(|||50000)",
    ])
  func extendedPassive(text: String) {
    #expect(DataForms.extendedPassive(in: text.utf8) == 50_000)
  }

  @Test(
    "What is no 229 names no port",
    arguments: ["", "Mode |||5000|", "()", "(|", "(|||)", "(|||65536|)", "(111150001)", "(|||x|)"])
  func noExtendedPassive(text: String) {
    #expect(DataForms.extendedPassive(in: text.utf8) == nil)
  }

  @Test("EPRT is read with any delimiter, and a mapped address is an IPv4 one")
  func extendedPort() throws {
    for (text, family) in [
      ("|1|192.0.2.9|50000|", 1), ("!2!2001:db8::9!50000!", 2), ("|2|::ffff:192.0.2.9|50000|", 1),
      ("|3|x|50000|", 3), ("|1|192.0.2.9|50000", 1),
    ] {
      let read = try #require(DataForms.extendedPort(text.utf8), "\(text)")
      #expect(read.family == family && read.port == 50_000)
    }
    for text in ["", "|", "1192.0.2.9", "|1||50000|", "|1|192.0.2.9|65536|", "|1|192.0.2.9||"] {
      #expect(DataForms.extendedPort(text.utf8) == nil, "\(text)")
    }
  }
}
