internal import Glibc
internal import Kernel
public import Reactor

/// A network of a test's own: loopback, and two interfaces `one` and `two` with addresses of both
/// families, to which nobody else is joined. It goes with the process, which is the test's own.
public enum NetworkNamespace {
  /// True where namespaces can be made; in the gate it is an error when they cannot.
  public static var isAvailable: Bool {
    geteuid() == 0 && Programs.have("ip") || Environment.value("ADIT_REQUIRE_ROOT") == "1"
  }

  private static let links = [
    "link set lo up",
    "link add one type veth peer name one-end", "link add two type veth peer name two-end",
    "link set one-end addrgenmode none", "link set two-end addrgenmode none",
    "link set one-end up", "link set two-end up",
    "link set one addrgenmode none", "link set two addrgenmode none",
    "link set one up", "link set two up",
  ]
  private static let addresses = [
    "address add 10.7.1.1/24 broadcast 10.7.1.255 dev one",
    "address add 10.7.2.1/24 broadcast 10.7.2.255 dev two",
    "address add fe80::1/64 dev one nodad", "address add fe80::2/64 dev two nodad",
    "address add fd07:1::1/64 dev one nodad", "address add fd07:2::1/64 dev two nodad",
  ]

  /// Starts a loop whose thread lives in a new network; so do threads that are started from there.
  public static func makeLoop() throws -> EventLoop {
    let loop = try LoopGroup(count: 1, name: "namespace").loops[0]
    try loop.sync { try enter() }
    return loop
  }

  private static func enter() throws {
    // unshare(2) is not among what the C library's module exports.
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let symbol = unsafe dlsym(nil, "unshare") else { throw Errno.noSuchFile }
    let unshare = unsafe unsafeBitCast(symbol, to: Unshare.self)
    let network: Int32 = 0x4000_0000
    guard unshare(network) == 0 else { throw Errno(rawValue: errno) }
    for command in links { try run(command) }
    for command in addresses { try run(command) }
    // The kernel gives an address of IPv6 its route a moment later.
    for (address, name) in [
      ("fe80::1", "one"), ("fe80::2", "two"), ("fd07:1::1", "one"), ("fd07:2::1", "two"),
    ] {
      while try !run("-6 route get \(address) oif \(name)").hasPrefix("local") {}
    }
  }

  @discardableResult
  private static func run(_ command: String) throws -> String {
    let process = try ChildProcess("ip", command.split(separator: " ").map { String($0) })
    let code = try process.exitCode()
    precondition(code == 0, "ip \(command): \(process.errorText)")
    return process.outputText
  }
}
