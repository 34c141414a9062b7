// swift-tools-version: 6.2
import PackageDescription

/// The same settings as the main package: the benchmark is read as closely as what it measures.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

// This package does not depend on the main one: the load is independent of the code under test.
let package = Package(
  name: "adit-bench",
  targets: [
    .executableTarget(name: "adit-load"),
    .executableTarget(name: "adit-bench", swiftSettings: strict),
  ],
  cLanguageStandard: .gnu11
)
