import Foundation

/// The programs that the benchmark starts, and the Debian package that brings each.
enum Tool: String, CaseIterable {
  case haproxy
  case nginx
  case socat
  case socketProxy = "systemd-socket-proxyd"
  case iperf = "iperf3"
  case wrk

  var packages: [String] {
    switch self {
    case .haproxy: ["haproxy"]
    case .nginx: ["nginx", "libnginx-mod-stream"]
    case .socat: ["socat"]
    case .socketProxy: ["systemd"]
    case .iperf: ["iperf3"]
    case .wrk: ["wrk"]
    }
  }

  /// Where the program is, or nil; daemons are looked for where a user's `PATH` does not reach.
  var path: String? {
    let search = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders =
      search.split(separator: ":").map(String.init)
      + ["/usr/sbin", "/sbin", "/usr/lib/systemd", "/lib/systemd"]
    return folders.map { "\($0)/\(rawValue)" }.first(where: isPresent)
  }

  private func isPresent(_ path: String) -> Bool {
    guard FileManager.default.isExecutableFile(atPath: path) else { return false }
    return self != .nginx || Tool.nginxStreamModule != nil
  }

  /// nginx carries its stream module as a shared object on Debian.
  static var nginxStreamModule: String? {
    let path = "/usr/lib/nginx/modules/ngx_stream_module.so"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// The line that installs what is missing, or nil when nothing is.
  static var installLine: String? {
    let missing = allCases.filter { $0.path == nil }.flatMap(\.packages)
    return missing.isEmpty ? nil : "apt-get install --yes \(missing.joined(separator: " "))"
  }

  /// The path, or an error that says how to get the program.
  func required() throws(BenchError) -> String {
    if let path { return path }
    throw .missing("\(rawValue) is missing: apt-get install \(packages.joined(separator: " "))")
  }
}
