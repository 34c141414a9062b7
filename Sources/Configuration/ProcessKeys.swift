extension ProcessConfiguration: KeyedConfiguration {
  /// The default of everything.
  public static let defaults = ProcessConfiguration()

  /// All keys of the table `[process]`, in the order of the manual.
  public static let keys: [ProcessKey] = [
    .integer(
      "threads", \.threads, from: 0, to: 256, "Threads that carry traffic; 0 for one a core."),
    .choice("log", \.log, "The access log on standard output; auto is text, off on a terminal."),
    .choice("log-level", \.logLevel, "The least that is told on standard error."),
    .duration(
      "drain-timeout", \.drainTimeout,
      "The most that flows may go on when the program is told to end; then they are reset."),
    .integer(
      "buffers", \.buffers, from: 16, to: 1_000_000,
      "Buffers of 64 KiB that may hold bytes at one time, shared out among the threads."),
    .integer(
      "pipes", \.pipes, from: 0, to: 1_000_000,
      "Pipes that may hold bytes at one time, shared out among the threads; 0 copies instead."),
  ]
}
