// swift-tools-version: 6.2
import PackageDescription

/// One example a target, each in the shape of code that was written for iOS and macOS.
func example(_ name: String, _ product: String) -> Target {
  .executableTarget(
    name: name, dependencies: [.product(name: product, package: "adit")],
    swiftSettings: [.swiftLanguageMode(.v5)])
}

let package = Package(
  name: "examples",
  dependencies: [.package(name: "adit", path: "..")],
  targets: [
    example("tcp-tunnel", "CocoaAsyncSocket"),
    example("line-chat", "CocoaAsyncSocket"),
    example("udp-echo", "CocoaAsyncSocket"),
    example("stream-client", "SocketStreams"),
    example("async-client", "Sockets"),
  ]
)
