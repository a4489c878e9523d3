// swift-tools-version: 6.0
import PackageDescription

// A stranger's package: it knows products of ours and nothing else.
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
        .executableTarget(
            name: "c-explorer",
            dependencies: [
                .product(name: "CSerialQueue", package: "SerialQueue"), .product(name: "CSerialQueueTesting", package: "SerialQueue"),
            ],
            path: "Sources/CExplorer"
        ),
        // A library that has Dispatch's types in its interface, and a client. Both have moved.
        .target(
            name: "MovedLibrary",
            dependencies: [.product(name: "SerialQueueDispatch", package: "SerialQueue")]
        ),
        .executableTarget(
            name: "moved-client",
            dependencies: ["MovedLibrary", .product(name: "SerialQueueDispatch", package: "SerialQueue")],
            path: "Sources/MovedClient"
        ),
    ],
    swiftLanguageModes: [.v6]
)
