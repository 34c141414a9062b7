// swift-tools-version: 6.2
import PackageDescription

/// A server as a user would write it, with what it uses.
func server(_ name: String, _ products: String..., as mode: SwiftLanguageMode = .v6) -> Target {
  .executableTarget(
    name: name,
    dependencies: ["PlainSockets"] + products.map { .product(name: $0, package: "adit") },
    swiftSettings: [.swiftLanguageMode(mode)])
}

let package = Package(
  name: "socket-bench",
  products: [
    .library(name: "count-allocations", type: .dynamic, targets: ["count-allocations"])
  ],
  dependencies: [.package(name: "adit", path: "../..")],
  targets: [
    .target(name: "count-allocations"),
    .target(name: "PlainSockets", swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(name: "echo-load"),
    .executableTarget(name: "echo-epoll"),
    server("echo-dispatch", as: .v5),
    server("echo-native", "Sockets"),
    server("echo-delegate", "CocoaAsyncSocket"),
    server("echo-streams", "SocketStreams", as: .v5),
    .executableTarget(name: "datagram-load"),
    .executableTarget(name: "datagram-epoll"),
    server("datagram-dispatch", as: .v5),
    server("datagram-native", "Sockets"),
    server("datagram-delegate", "CocoaAsyncSocket"),
  ],
  cLanguageStandard: .gnu11
)
