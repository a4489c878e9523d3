// swift-tools-version: 6.0
import PackageDescription

// A stranger's package: it knows the two products of ours and nothing else.
let package = Package(
    name: "Consumer",
    dependencies: [.package(name: "SerialQueue", path: "../..")],
    targets: [
        .executableTarget(
            name: "swift-consumer",
            dependencies: [.product(name: "SerialQueue", package: "SerialQueue")],
            path: "Sources/SwiftConsumer"
        ),
        .executableTarget(
            name: "c-consumer",
            dependencies: [.product(name: "CSerialQueue", package: "SerialQueue")],
            path: "Sources/CConsumer"
        ),
    ],
    swiftLanguageModes: [.v6]
)
