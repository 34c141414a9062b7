internal import Reactor

/// The page of `make run`: served at a free port of this machine, which is printed.
@main
struct Page {
  static func main() throws {
    let loop = try EventLoop()
    let server = try PageServer(on: loop)
    printAtOnce("page \(server.address)")
    try loop.run()
  }

  /// The answer to a request; `number` counts them.
  static func answer(_ number: Int) -> [UInt8] {
    let page = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="color-scheme" content="light dark">
      <meta name="viewport" content="width=device-width">
      <title>Adit</title>
      <style>
        body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 38rem; margin: 4rem auto; }
      </style>
      <h1>You came through a tunnel</h1>
      <p>Adit accepted your connection, opened one to the server of this page, and carried your
      request there and this answer back: answer number \(number).</p>
      <p>The terminal that shows the address of this page also ends it: Ctrl-C.</p>
      </html>

      """
    let head = [
      "HTTP/1.1 200 OK", "Content-Type: text/html; charset=utf-8",
      "Content-Length: \(page.utf8.count)", "Cache-Control: no-store", "Connection: close",
    ]
    return Array((head.map { $0 + "\r\n" }.joined() + "\r\n" + page).utf8)
  }
}
