import Foundation
import SerialQueueOperations

/// Makes pictures of the same content each time: three JPEG files, then a PNG file, and so on. Throws if one cannot be written.
func makePictures(_ count: Int, megapixels: Double, in folder: URL, width: Int, _ bar: ProgressBar) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let lines = max(1, Int((megapixels * 1e6 / 1.5).squareRoot())), columns = lines * 3 / 2
    var queue: WorkOperationQueue? = WorkOperationQueue(label: "make pictures", width: width)
    let drawing = Task { [updates = queue!.progressUpdates] in await bar.follow(updates, "making pictures") }
    let made = (0..<count).map { number in
        queue!.add("make \(number)") {
            let isPNG = number % 4 == 3
            let name = "picture-" + String(format: "%04d", number) + (isPNG ? ".png" : ".jpg")
            try draw(number, columns, lines).encoded(asPNG: isPNG).write(to: folder.appendingPathComponent(name))
        }
    }
    queue = nil
    for operation in made { try await operation.value }
    await drawing.value
}
