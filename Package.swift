// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: one list, so that no target is laxer than another.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableExperimentalFeature("Lifetimes"),
]

/// The data path in release builds: overlapping accesses are checked in debug builds, where all
/// tests run, and not for each byte (docs/decisions/0005-exclusivity.md).
let dataPath: [SwiftSetting] =
  strict + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

func module(
  _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

var targets: [Target] = [
  // C: system calls that Glibc does not export, and Debian's libraries.
  .target(name: "CKernel"),
  .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
  .target(
    name: "COpenSSL", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
  .target(name: "CTOML", cxxSettings: [.define("TOML_EXCEPTIONS", to: "0")]),

  // The house, from the ground up. Tests/TidyTests holds the picture of who may import whom.
  module("Kernel", ["CKernel"]),
  module("Reactor", ["Kernel"], dataPath),
  module("Names", ["Reactor", "Kernel", "CAres"]),
  module("TLS", ["Kernel", "COpenSSL"]),
  module("Sockets", ["Reactor", "Names", "TLS", "Kernel"], dataPath),
  module("Security", ["TLS", "Kernel"]),
  module("CocoaAsyncSocket", ["Sockets", "Security", "TLS", "Names", "Reactor", "Kernel"]),
  module("SocketStreams", ["Sockets", "Security", "TLS", "Names", "Reactor", "Kernel"]),
  module("CFNetwork", ["SocketStreams"]),
  module("FTP", []),
  module("Relay", ["Reactor", "Names", "FTP", "Kernel"], dataPath),
  module("Configuration", ["Kernel", "CTOML"]),
  module("AditCommands", ["Configuration", "Relay", "Names", "Reactor", "Kernel"]),
  .executableTarget(name: "adit", dependencies: ["AditCommands"], swiftSettings: strict),
  // The page that `make run` opens a tunnel to.
  .executableTarget(
    name: "adit-page", dependencies: ["Reactor", "Kernel"], path: "Demo/Page",
    swiftSettings: strict),

  // Tests and what they share.
  .target(name: "CAllocations", path: "Tests/CAllocations"),
  .target(
    name: "TestSupport", dependencies: ["Kernel", "Reactor", "CAllocations", "COpenSSL"],
    path: "Tests/TestSupport", swiftSettings: strict),
  tests("KernelTests", ["Kernel"]),
  tests("ReactorTests", ["Reactor", "Kernel"]),
  tests("NamesTests", ["Names", "Reactor", "Kernel"]),
  tests("TLSTests", ["TLS", "Security", "Kernel"]),
  tests("SocketsTests", ["Sockets", "TLS", "Names", "Reactor", "Kernel"]),
  // Delegates as people write them for iOS.
  .target(
    name: "DelegateClients", dependencies: ["CocoaAsyncSocket"], path: "Tests/DelegateClients",
    swiftSettings: [.swiftLanguageMode(.v5)]),
  tests(
    "CocoaAsyncSocketTests",
    ["DelegateClients", "CocoaAsyncSocket", "Sockets", "Security", "Reactor", "Kernel"]),
  // Clients as people write them for Darwin, with the settings that their packages have; those of
  // the second folder import nothing but Foundation.
  .target(
    name: "DarwinClients", dependencies: ["CFNetwork", "SocketStreams"],
    path: "Tests/DarwinClients",
    // Written as such code is, with the warnings that it has everywhere.
    swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(["-suppress-warnings"])]),
  .target(
    name: "FoundationOnlyClients", dependencies: ["SocketStreams"],
    path: "Tests/FoundationOnlyClients",
    swiftSettings: [
      .swiftLanguageMode(.v5),
      .unsafeFlags(["-Xfrontend", "-import-module", "-Xfrontend", "SocketStreams"]),
    ]),
  tests(
    "SocketStreamsTests",
    [
      "DarwinClients", "FoundationOnlyClients", "CFNetwork", "SocketStreams", "Sockets", "Security",
      "TLS", "Kernel",
    ]),
  // The same behaviour of all three faces.
  tests("FacesTests", ["Sockets", "CocoaAsyncSocket", "SocketStreams", "Kernel"]),
  tests("FTPTests", ["FTP"]),
  tests("RelayTests", ["Relay", "Names", "Reactor", "Kernel"]),
  tests("ConfigurationTests", ["Configuration", "Kernel"]),
  tests("AditTests", ["AditCommands", "Configuration", "Relay", "Kernel", "adit"]),
  tests("TidyTests", []),
]

// Fuzzers have no main function of their own and link only with --sanitize=fuzzer: Fuzz/run.
if Context.environment["ADIT_FUZZ"] != nil {
  for (name, modules) in [
    "fuzz-toml": ["Configuration"], "fuzz-listen": ["Configuration"], "fuzz-address": ["Kernel"],
    "fuzz-tls": ["TLS", "Kernel"], "fuzz-delimiter": ["CocoaAsyncSocket", "Kernel"],
    "fuzz-ftp": ["FTP"],
  ] {
    targets.append(
      .executableTarget(
        name: name, dependencies: modules.map { .init(stringLiteral: $0) }, path: "Fuzz/\(name)",
        swiftSettings: strict))
  }
}

let package = Package(
  name: "adit",
  products: [
    .executable(name: "adit", targets: ["adit"]),
    .library(name: "Relay", targets: ["Relay"]),
    .library(name: "Sockets", targets: ["Sockets"]),
    .library(name: "Security", targets: ["Security"]),
    .library(name: "CocoaAsyncSocket", targets: ["CocoaAsyncSocket"]),
    .library(name: "SocketStreams", targets: ["SocketStreams"]),
    .library(name: "CFNetwork", targets: ["CFNetwork"]),
  ],
  targets: targets,
  cLanguageStandard: .gnu11,
  cxxLanguageStandard: .cxx17
)
