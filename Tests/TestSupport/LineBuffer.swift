internal import Glibc

/// A pipe, or a terminal, between a test and a child.
struct Pipe {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw POSIXFailure(errno) }
    reading = ends[0]
    writing = ends[1]
    prepare()
  }

  init(terminalOfColumns columns: UInt16) throws {
    var master: Int32 = -1
    var slave: Int32 = -1
    var size = winsize(ws_row: 25, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard unsafe openpty(&master, &slave, nil, nil, &size) == 0 else {
      throw POSIXFailure(errno)
    }
    reading = master
    writing = slave
    prepare()
  }

  private func prepare() {
    for end in [reading, writing] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK)
  }

  func closeWriting() { close(writing) }
}

/// What a child wrote to one stream.
final class LineBuffer {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var cursor = 0
  private var hasEnded = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// For poll(2); a stream that has ended is not waited for.
  var pollEntry: pollfd {
    pollfd(fd: hasEnded ? -1 : descriptor, events: Int16(POLLIN), revents: 0)
  }

  /// Takes what is there; false when nothing was.
  func read() -> Bool {
    guard !hasEnded else { return false }
    var part = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe Glibc.read(descriptor, &part, part.count)
    if count > 0 {
      bytes += part[..<count]
      return true
    }
    // A terminal ends with EIO.
    hasEnded = count == 0 || (errno != EAGAIN && errno != EINTR)
    return false
  }

  /// The next whole line that is wanted; those before it are passed over.
  func next(where isWanted: (String) -> Bool) -> String? {
    var start = cursor
    while let end = bytes[start...].firstIndex(of: 0x0a) {
      let line = String(decoding: bytes[start..<end], as: UTF8.self)
      start = end + 1
      if isWanted(line) {
        cursor = start
        return line
      }
    }
    return nil
  }
}

/// Starts a program; each redirection gives a descriptor of ours a number in the child.
func spawn(
  _ executable: String, _ arguments: [String], _ environment: [String],
  _ redirections: [(from: Int32, to: Int32)]
) throws -> Int32 {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  for redirection in redirections {
    unsafe posix_spawn_file_actions_adddup2(&actions, redirection.from, redirection.to)
  }
  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe posix_spawnattr_setsigmask(&attributes, &signals)
  unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
  var words = unsafe copies([executable] + arguments)
  var variables = unsafe copies(environment)
  defer {
    unsafe words.forEach { unsafe free($0) }
    unsafe variables.forEach { unsafe free($0) }
  }
  var identifier: pid_t = 0
  let failure = unsafe posix_spawnp(
    &identifier, executable, &actions, &attributes, &words, &variables)
  guard failure == 0 else { throw POSIXFailure(failure) }
  return identifier
}

/// The texts as C takes a list of them, each to be freed.
private func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
  unsafe texts.map { unsafe strdup($0) } + [nil]
}
