import Glibc
import TestSupport
import Testing

/// Programs of other people through the tunnel, in namespaces of their own: there every port is
/// free, and whatever was started ends with the first process.
@Suite(.enabled(if: geteuid() == 0 || Programs.mustHave("unshare")))
struct NamespaceClientTests {
  @Test("A file of a gibibyte comes whole to curl", .enabled(if: Programs.mustHave("nginx")))
  func gibibyte() throws {
    let output = try run(
      """
      head -c 1G /dev/zero | openssl enc -aes-128-ctr -pass pass:adit -nosalt -pbkdf2 > big
      \(webServer)
      "$adit" forward 8081 127.0.0.1:8080 --log off &
      again curl -sS -o /dev/null http://127.0.0.1:8081/small
      curl -sS http://127.0.0.1:8081/big | sha256sum > received
      sha256sum < big | cmp - received && echo same
      """)
    #expect(output == "same\n")
  }

  @Test("wrk's requests are all answered", .enabled(if: Programs.mustHave("wrk")))
  func requests() throws {
    let output = try run(
      """
      \(webServer)
      "$adit" forward 8081 127.0.0.1:8080 --log off &
      again curl -sS -o /dev/null http://127.0.0.1:8081/small
      wrk -t1 -c32 -d1s http://127.0.0.1:8081/small
      """)
    #expect(output.contains(" requests in "))
    #expect(!output.contains("Socket errors") && !output.contains("Non-2xx"), "\(output)")
  }

  @Test("scp copies a file through the tunnel", .enabled(if: Programs.mustHave("sshd")))
  func secureCopy() throws {
    let output = try run(
      """
      ssh-keygen -q -t ed25519 -N '' -f host
      ssh-keygen -q -t ed25519 -N '' -f own
      cp own.pub authorized
      /usr/sbin/sshd -e -p 2022 -h "$PWD/host" -f /dev/null -o UsePAM=no -o StrictModes=no \
        -o AuthorizedKeysFile="$PWD/authorized" -o PermitRootLogin=prohibit-password \
        -o "Subsystem=sftp internal-sftp"
      "$adit" forward 2023 127.0.0.1:2022 --log off &
      head -c 20M /dev/urandom > sent
      again scp -q -P 2023 -i own -o StrictHostKeyChecking=no -o UserKnownHostsFile=known \
        -o LogLevel=ERROR sent "root@127.0.0.1:$PWD/received"
      cmp sent received && echo same
      """)
    #expect(output == "same\n")
  }

  @Test("iperf3 measures in both directions", .enabled(if: Programs.mustHave("iperf3")))
  func throughput() throws {
    let output = try run(
      """
      iperf3 -s -D -p 5201
      "$adit" forward 5202 127.0.0.1:5201 --log off &
      again iperf3 -c 127.0.0.1 -p 5202 -t 1 -P 2
      iperf3 -c 127.0.0.1 -p 5202 -t 1 -R
      """)
    #expect(output.split(separator: "\n").filter { $0 == "iperf Done." }.count == 2, "\(output)")
  }

  /// nginx with the files of the folder at port 8080.
  private var webServer: String {
    """
    echo small > small
    cat > nginx.conf <<END
    pid $PWD/pid; error_log stderr; user root; events {}
    http { access_log off; client_body_temp_path $PWD/t1; proxy_temp_path $PWD/t2;
    fastcgi_temp_path $PWD/t3; uwsgi_temp_path $PWD/t4; scgi_temp_path $PWD/t5;
    server { listen 127.0.0.1:8080; root $PWD; } }
    END
    nginx -p "$PWD" -c "$PWD/nginx.conf" -e stderr
    """
  }

  /// Runs a script in namespaces of its own and returns what it said.
  private func run(_ script: String) throws -> String {
    let folder = try TemporaryFolder()
    // Programs that do not say when they listen are asked until they do.
    let beginning = """
      set -eu
      mount -t tmpfs tmpfs /run
      mkdir /run/sshd
      ip link set lo up
      again() { tries=0; until "$@" 2>> errors; do
        tries=$((tries + 1)); [ $tries -lt 200 ] || { cat errors >&2; exit 1; }
        sleep 0.05; done; }

      """
    let path = try folder.write(beginning + script + "\n", to: "script")
    let process = try ChildProcess(
      "unshare",
      [
        "--net", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c",
        "cd \(folder.path) && exec /bin/sh \(path)",
      ],
      environment: ["adit": try RunningAdit.program])
    let code = try process.exitCode(within: .seconds(120))
    #expect(code == 0, "\(process.errorText)\n\(process.outputText)")
    return process.outputText
  }
}
