// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "SerialQueue", path: "../..")],
    targets: [
        .target(name: "CHarness"),  // links to ../C/harness.*
        .executableTarget(
            name: "Bench",
            dependencies: [
                "CHarness", .product(name: "SerialQueue", package: "SerialQueue"),
                .product(name: "SerialQueueOrdered", package: "SerialQueue"),
                .product(name: "SerialQueueOperations", package: "SerialQueue"),
                .product(name: "SerialQueueDispatch", package: "SerialQueue"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
