import Foundation

/// What all contenders do, in four stages: the files, the filters, and the folder for the results.
struct Job: Sendable {
    let files: [URL]
    let filters: [Filter]
    let output: URL

    func load(_ row: Int) throws -> Data {
        do { return try Data(contentsOf: files[row]) } catch { throw BadPicture(description: "cannot be read") }
    }

    func filter(_ picture: Picture) -> Picture {
        filters.reduce(picture) { picture, filter in filter.apply(to: picture) }
    }

    func write(_ picture: Picture, _ row: Int) throws {
        try picture.encoded().write(to: result(row))
    }

    func result(_ row: Int) -> URL {
        output.appendingPathComponent(files[row].lastPathComponent + ".out.jpg")
    }

    /// The same with a folder of its own for the results.
    func into(_ folder: String) throws -> Job {
        let output = output.appendingPathComponent(folder)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        return Job(files: files, filters: filters, output: output)
    }
}
