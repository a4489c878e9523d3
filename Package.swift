// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SerialQueue",
    products: [
        .library(name: "SerialQueue", targets: ["SerialQueue"]),
        .library(name: "SerialQueueOperations", targets: ["SerialQueueOperations"]),
        .library(name: "SerialQueueTesting", targets: ["SerialQueueTesting"]),
        .library(name: "CSerialQueue", targets: ["CSerialQueue"]),
    ],
    targets: [
        // The C core includes its own headers by their path from Sources/CSerialQueue.
        .target(
            name: "CSerialQueue",
            cSettings: [.headerSearchPath("."), .define("SQ_DEBUG", .when(configuration: .debug))]
        ),

        // The part of the Swift layer that is C: SwiftPM does not mix languages in a target.
        .target(
            name: "CSerialQueueSwiftCall",
            dependencies: ["CSerialQueue"],
            path: "Sources/SerialQueue/SwiftCall"
        ),
        .target(
            name: "SerialQueue",
            dependencies: ["CSerialQueue", "CSerialQueueSwiftCall"],
            exclude: ["SwiftCall"]
        ),
        .target(name: "SerialQueueOperations", dependencies: ["SerialQueue", "CSerialQueue"], path: "Sources/Operations"),

        // For tests: explores the schedules of a program. CTaskHook: what it needs of Swift's runtime, in C.
        .target(name: "CTaskHook", dependencies: ["CSerialQueue"], path: "Sources/SerialQueueTesting/TaskHook"),
        .target(
            name: "SerialQueueTesting",
            dependencies: ["SerialQueue", "CSerialQueue", "CTaskHook"],
            exclude: ["TaskHook"]
        ),

        .executableTarget(name: "wordcount", dependencies: ["SerialQueue"], path: "Examples/WordCount"),
        .executableTarget(name: "order", dependencies: ["SerialQueue", "SerialQueueTesting"], path: "Examples/Order"),
        .executableTarget(name: "inversion", dependencies: ["SerialQueue"], path: "Examples/Inversion"),
        .executableTarget(name: "slow", dependencies: ["SerialQueue"], path: "Examples/Slow"),
        .executableTarget(name: "hangs", dependencies: ["SerialQueue"], path: "Examples/Hangs"),
        .executableTarget(name: "chatrooms", dependencies: ["SerialQueue"], path: "Examples/ChatRooms"),
        .executableTarget(name: "ordered", dependencies: ["SerialQueue"], path: "Examples/Ordered"),
        .executableTarget(name: "distributed", dependencies: ["SerialQueue"], path: "Examples/Distributed"),
        .executableTarget(name: "cache", dependencies: ["SerialQueue"], path: "Examples/Cache"),
        .executableTarget(name: "fanin", dependencies: ["SerialQueue"], path: "Examples/FanIn"),
        .executableTarget(
            name: "breakfast", dependencies: ["SerialQueue", "SerialQueueOperations"], path: "Examples/Breakfast"
        ),

        .executableTarget(name: "transfers", dependencies: ["SerialQueue", "SerialQueueTesting"], path: "Examples/Bank"),

        .target(name: "CTestSupport", path: "Tests/SerialQueueTests/CTestSupport"),
        .testTarget(
            name: "SerialQueueTests",
            dependencies: ["SerialQueue", "CSerialQueue", "CTestSupport"],
            exclude: ["CTestSupport"]
        ),
        .testTarget(name: "OperationsTests", dependencies: ["SerialQueueOperations", "SerialQueue", "SerialQueueTesting"]),
        .testTarget(
            name: "SerialQueueTestingTests", dependencies: ["SerialQueueTesting", "SerialQueueOperations", "SerialQueue"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
