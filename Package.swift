// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SerialQueue",
    // The first releases of Apple's systems whose runtime has all that the sources call (scripts/check-platforms): atomics, task executors and
    // functions of any isolation. Built and run on Linux alone so far.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "SerialQueue", targets: ["SerialQueue"]),
        .library(name: "SerialQueueOrdered", targets: ["SerialQueueOrdered"]),
        .library(name: "SerialQueueOperations", targets: ["SerialQueueOperations"]),
        .library(name: "SerialQueueDispatch", targets: ["SerialQueueDispatch"]),
        .library(name: "SerialQueueTesting", targets: ["SerialQueueTesting"]),
        .library(name: "SerialQueueDispatchTesting", targets: ["SerialQueueDispatchTesting"]),
        .library(name: "CSerialQueue", targets: ["CSerialQueue"]),
        .library(name: "CSerialQueueTesting", targets: ["CSerialQueueTesting"]),
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
            path: "Sources/SerialQueue/ABI/SwiftCall"
        ),
        .target(
            name: "SerialQueue",
            dependencies: ["CSerialQueue", "CSerialQueueSwiftCall"],
            exclude: ["ABI/SwiftCall", "ABI/TaskHook"]
        ),
        .target(name: "SerialQueueOrdered", dependencies: ["SerialQueue", "CSerialQueue", "CSerialQueueSwiftCall"], path: "Sources/Ordered"),
        .target(name: "SerialQueueOperations", dependencies: ["SerialQueue", "CSerialQueue", "CSerialQueueSwiftCall"], path: "Sources/Operations"),
        // What knows the main thread before `main`: a constructor, which Swift does not have.
        .target(name: "CSerialQueueMainThread", dependencies: ["CSerialQueue"], path: "Sources/Dispatch/MainThread"),
        .target(
            name: "SerialQueueDispatch",
            dependencies: ["SerialQueue", "CSerialQueue", "CSerialQueueMainThread"],
            path: "Sources/Dispatch",
            exclude: ["MainThread"]
        ),

        // For tests: explores the schedules of a program. It stands above the rooms of the core, and includes their headers.
        .target(
            name: "CSerialQueueTesting",
            dependencies: ["CSerialQueue"],
            cSettings: [
                .headerSearchPath("."), .headerSearchPath("../CSerialQueue"), .define("SQ_DEBUG", .when(configuration: .debug)),
            ]
        ),
        // What exploring needs of Swift's runtime, in C.
        .target(name: "CTaskHook", dependencies: ["CSerialQueue", "CSerialQueueTesting"], path: "Sources/SerialQueue/ABI/TaskHook"),
        .target(
            name: "SerialQueueTesting",
            dependencies: ["SerialQueue", "CSerialQueue", "CSerialQueueTesting", "CTaskHook"]
        ),
        // A target of its own: programs do not link testing code, and tests of other queues do not link Dispatch.
        .target(
            name: "SerialQueueDispatchTesting",
            dependencies: ["SerialQueueDispatch", "SerialQueue", "CTaskHook"],
            path: "Sources/DispatchTesting"
        ),

        .executableTarget(name: "wordcount", dependencies: ["SerialQueue"], path: "Examples/WordCount"),
        .executableTarget(name: "order", dependencies: ["SerialQueue", "SerialQueueTesting"], path: "Examples/Order"),
        .executableTarget(name: "inversion", dependencies: ["SerialQueue"], path: "Examples/Inversion"),
        .executableTarget(name: "slow", dependencies: ["SerialQueue"], path: "Examples/Slow"),
        .executableTarget(name: "hangs", dependencies: ["SerialQueue"], path: "Examples/Hangs"),
        .executableTarget(name: "chatrooms", dependencies: ["SerialQueue"], path: "Examples/ChatRooms"),
        .executableTarget(name: "ordered", dependencies: ["SerialQueue", "SerialQueueOrdered"], path: "Examples/Ordered"),
        .executableTarget(name: "distributed", dependencies: ["SerialQueue"], path: "Examples/Distributed"),
        .executableTarget(name: "cache", dependencies: ["SerialQueue"], path: "Examples/Cache"),
        .executableTarget(name: "fanin", dependencies: ["SerialQueue"], path: "Examples/FanIn"),
        .executableTarget(
            name: "breakfast", dependencies: ["SerialQueue", "SerialQueueOperations"], path: "Examples/Breakfast"
        ),

        // A program for Dispatch, and the one file that moves it. make moved compiles it without that file, too.
        .executableTarget(name: "moved", dependencies: ["SerialQueueDispatch"], path: "Examples/Moved", exclude: ["Tests", "run"]),
        .testTarget(
            name: "MovedTests", dependencies: ["moved", "SerialQueue", "SerialQueueTesting", "SerialQueueDispatchTesting"],
            path: "Examples/Moved/Tests"
        ),

        .executableTarget(name: "transfers", dependencies: ["SerialQueue", "SerialQueueTesting"], path: "Examples/Bank"),

        .target(name: "CTestSupport", path: "Tests/SerialQueueTests/CTestSupport"),
        .testTarget(
            name: "SerialQueueTests",
            dependencies: ["SerialQueueOrdered", "SerialQueue", "CSerialQueue", "CTestSupport"],
            exclude: ["CTestSupport"]
        ),
        .testTarget(name: "OperationsTests", dependencies: ["SerialQueueOperations", "SerialQueue", "SerialQueueTesting"]),
        .testTarget(
            name: "DispatchTests",
            dependencies: ["SerialQueueDispatch", "SerialQueueDispatchTesting", "SerialQueueTesting", "SerialQueue"]
        ),
        .testTarget(
            name: "SerialQueueTestingTests",
            dependencies: ["SerialQueueTesting", "SerialQueueOperations", "SerialQueueOrdered", "SerialQueue"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
