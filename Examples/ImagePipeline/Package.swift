// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the library needs neither libjpeg nor libpng.
let package = Package(
    name: "ImagePipeline",
    dependencies: [.package(name: "SerialQueue", path: "../..")],
    targets: [
        // Debian packages libjpeg-dev and libpng-dev; its header names them if they are missing.
        .target(name: "CPictures", linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png")]),
        .executableTarget(
            name: "imagepipeline",
            dependencies: ["CPictures", .product(name: "SerialQueueOperations", package: "SerialQueue")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
