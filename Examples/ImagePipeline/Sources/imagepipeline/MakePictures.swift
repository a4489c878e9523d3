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
            try makePicture(number, columns, lines).encoded(asPNG: isPNG).write(to: folder.appendingPathComponent(name))
        }
    }
    queue = nil
    for operation in made { try await operation.value }
    await drawing.value
}

/// Rings on a gradient, with some noise.
private func makePicture(_ number: Int, _ width: Int, _ height: Int) -> Picture {
    let picture = Picture(width: width, height: height)
    var noise = UInt32(truncatingIfNeeded: number &* 747_796_405 &+ 1)
    var pixel = picture.pixels
    for y in 0..<height {
        for x in 0..<width {
            noise = noise &* 1_664_525 &+ 1_013_904_223
            let fromMiddle = ((x - width / 2) * (x - width / 2) + (y - height / 2) * (y - height / 2)) / (width * 8)
            pixel[0] = UInt8(truncatingIfNeeded: x * 200 / width + number * 37 % 40 + Int(noise >> 29))
            pixel[1] = UInt8(truncatingIfNeeded: (fromMiddle * (number % 7 + 1)) & 127 + 64 + Int(noise >> 28))
            pixel[2] = UInt8(truncatingIfNeeded: y * 200 / height + Int(noise >> 30))
            pixel += 3
        }
    }
    return picture
}
