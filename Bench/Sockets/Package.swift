// swift-tools-version: 6.2
import PackageDescription

// The echo servers are written as a user would write them, in a package of their own.
let package = Package(
  name: "socket-bench",
  dependencies: [.package(name: "adit", path: "../..")],
  targets: [
    .executableTarget(name: "echo-load"),
    .executableTarget(name: "echo-epoll"),
    .executableTarget(
      name: "echo-dispatch", swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "echo-native", dependencies: [.product(name: "Sockets", package: "adit")]),
    .executableTarget(
      name: "echo-delegate",
      dependencies: [.product(name: "CocoaAsyncSocket", package: "adit")]),
  ],
  cLanguageStandard: .gnu11
)
