import Foundation

// The peers, each with the configuration that a careful operator of it would choose for this job:
// no logs, one worker a thread, the listener's queue as long as ours.
extension Relay {
  /// HAProxy in TCP mode, copying or allowed to splice.
  static func haproxy(splice: Bool) -> Relay {
    Relay(
      name: splice ? "haproxy-splice" : "haproxy", path: Tool.haproxy.path,
      versionArguments: ["-v"],
      command: { plan in
        let file = try plan.configuration(haproxyText(plan, splice: splice))
        return [try Tool.haproxy.required(), "-db", "-q", "-f", file]
      })
  }

  /// `maxconn` and `maxpipes` stay inside the descriptor limit, else HAProxy refuses to start.
  private static func haproxyText(_ plan: Plan, splice: Bool) -> String {
    let connections = min(20_000, (descriptorLimit() - 1000) / 2)
    return """
      global
          nbthread \(plan.threads)
          maxconn \(connections)
          maxpipes 400
      defaults
          mode tcp
          maxconn \(connections)
          timeout connect 10s
          timeout client 1h
          timeout server 1h
      \(splice ? "    option splice-auto" : "")
      listen relay
          bind 127.0.0.1:\(plan.listen) backlog 4096
          server target 127.0.0.1:\(plan.target)

      """
  }

  /// nginx's stream module; a master process only where there is more than one worker.
  static let nginx = Relay(
    name: "nginx", path: Tool.nginx.path, versionArguments: ["-v"],
    command: { plan in
      let file = try plan.configuration(nginxText(plan))
      let errors = "\(plan.folder)/nginx-error.log"
      return [try Tool.nginx.required(), "-p", plan.folder, "-e", errors, "-c", file]
    })

  private static func nginxText(_ plan: Plan) -> String {
    let many = plan.threads > 1
    return """
      load_module \(Tool.nginxStreamModule ?? "ngx_stream_module.so");
      daemon off;
      master_process \(many ? "on" : "off");
      worker_processes \(plan.threads);
      worker_rlimit_nofile \(descriptorLimit());
      pid \(plan.folder)/nginx.pid;
      error_log \(plan.folder)/nginx-error.log;
      events { worker_connections \(min(40_000, descriptorLimit() - 500)); }
      stream {
        server {
          listen 127.0.0.1:\(plan.listen) backlog=4096\(many ? " reuseport" : "");
          proxy_pass 127.0.0.1:\(plan.target);
        }
      }

      """
  }

  /// systemd's proxy: one thread, two pipes a connection, a socket that systemd would have opened.
  static let socketProxy = Relay(
    name: "socket-proxyd", path: Tool.socketProxy.path, canHaveThreads: false,
    descriptorsPerConnection: 6, versionArguments: ["--version"],
    command: { plan in
      [
        try Tool.socketProxy.required(), "--connections-max=20000", "127.0.0.1:\(plan.target)",
      ]
    },
    isActivated: true)

  /// socat: a process a connection, so it holds few idle ones.
  static let socat = Relay(
    name: "socat", path: Tool.socat.path, isSerious: false, canHaveThreads: false,
    connectionLimit: 500, versionArguments: ["-V"],
    command: { plan in
      let listen = "TCP-LISTEN:\(plan.listen),bind=127.0.0.1,fork,reuseaddr,nodelay,backlog=4096"
      return [try Tool.socat.required(), listen, "TCP:127.0.0.1:\(plan.target),nodelay"]
    })
}
