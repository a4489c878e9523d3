// A folder of pictures, filtered as a scrolling list would: load → decode → filter → write, as operations with dependencies.
// README.md says what it shows.

import Foundation
import SerialQueueOperations

let options = Options(Array(CommandLine.arguments.dropFirst()))
let bar = ProgressBar()
let files = FileManager.default
let temporary = files.temporaryDirectory.appendingPathComponent("imagepipeline-\(getpid())")

/// Removes what was made, and ends the program.
func finish(_ failure: String? = nil, status: Int32 = 0) -> Never {
    try? files.removeItem(at: temporary)
    if let failure { stop(failure) }
    exit(status)
}

func listPictures(_ folder: URL) throws -> [URL] {
    try files.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { ["jpg", "jpeg", "png"].contains($0.pathExtension.lowercased()) }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
}

/// Wall-clock time, and the processors' time for this program.
struct Stopwatch {
    private let start = (wall: ContinuousClock.now, processors: clock())

    func report(_ name: String, _ detail: String) {
        let wall = (ContinuousClock.now - start.wall) / .seconds(1)
        let processors = Double(clock() - start.processors) / 1e6  // CLOCKS_PER_SEC of POSIX
        let times = String(format: "%.3f s, processors %.3f s, ", wall, processors)
        print(name.padding(toLength: 19, withPad: " ", startingAt: 0) + times + detail)
    }
}

func memory(_ most: (pictures: Int, bytes: Int) = Picture.takeMost()) -> String {
    "at most \(most.pictures) pictures, " + String(format: "%.1f MB", Double(most.bytes) / 1e6)
}

/// The scrolling list: why rows failed, and how many were cancelled because they had left the window.
func runList(_ job: Job, _ timeline: Timeline) async throws -> (failures: [Int: String], cancelled: Int) {
    let queue = WorkOperationQueue(label: "pictures", width: options.width)
    let drawing = Task { [updates = queue.progressUpdates] in await bar.follow(updates, "list") }
    var list = ScrollingList(job, on: queue, height: options.height, timeline)
    let failures = try await list.run()
    await queue.drain()
    drawing.cancel()
    await drawing.value
    return (failures, list.cancelled)
}

do {
    let output = options.out.map { URL(fileURLWithPath: $0) } ?? temporary.appendingPathComponent("results")
    let input = (options.folder ?? options.make).map { URL(fileURLWithPath: $0) } ?? temporary.appendingPathComponent("pictures")
    if options.folder == nil {
        try await makePictures(options.count, megapixels: options.megapixels, in: input, width: options.width, bar)
        if options.make != nil { finish() }
    }
    let job = Job(files: try listPictures(input), filters: options.filters, output: output)
    if job.files.isEmpty { finish("\(input.path): no JPEG or PNG files") }
    let jobs = (loop: try job.into("loop"), foundation: try job.into("foundation"), list: try job.into("list"))
    print("\(job.files.count) pictures, width \(options.width), \(options.height) rows on the screen")

    _ = Picture.takeMost()
    let loopTime = Stopwatch()
    let failures = runLoop(jobs.loop)
    loopTime.report("plain loop", memory())
    let foundationTime = Stopwatch()
    let others = runFoundation(jobs.foundation, width: options.width)
    foundationTime.report("OperationQueue", memory())
    let timeline = Timeline()
    let listTime = Stopwatch()
    let list = try await runList(jobs.list, timeline)
    let most = Picture.takeMost()
    listTime.report("WorkOperationQueue", memory(most) + String(format: ", %.1f stages at a time", timeline.occupied))
    print(
        "the list cancelled \(list.cancelled) rows that left its window, and came back to them: "
            + "\(timeline.count(of: .decode)) decodes, \(timeline.count(of: .filter)) filters, \(timeline.count(of: .write)) writes")

    for (row, message) in list.failures.sorted(by: { $0.key < $1.key }) {
        FileHandle.standardError.write(Data("imagepipeline: \(job.files[row].lastPathComponent): \(message); skipped\n".utf8))
    }
    if options.out != nil {
        try Data(timeline.svg().utf8).write(to: output.appendingPathComponent("timeline.svg"))
        print("timeline: \(output.appendingPathComponent("timeline.svg").path)")
    }
    if list.failures != failures || others != failures { finish("the contenders do not agree on which files are broken") }
    for name in files.subpaths(atPath: jobs.loop.output.path) ?? [] {
        for other in [jobs.list, jobs.foundation] where !files.contentsEqual(
            atPath: jobs.loop.output.appendingPathComponent(name).path, andPath: other.output.appendingPathComponent(name).path)
        {
            finish("\(other.output.appendingPathComponent(name).path): not what the plain loop wrote")
        }
    }
    if timeline.parallel > options.width { finish("\(timeline.parallel) stages ran at a time") }
    if most.pictures > Filter.mostPictures * options.width { finish("\(most.pictures) pictures were in memory") }
    print("check: the same bytes as the plain loop, at most \(timeline.parallel) stages with \(Filter.mostPictures) pictures each")
    finish(status: failures.isEmpty ? 0 : 1)
} catch {
    finish("\(error)")
}
