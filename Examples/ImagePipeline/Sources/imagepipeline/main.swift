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

    /// Prints both, and returns them.
    @discardableResult
    func report(_ name: String, _ detail: String) -> (wall: Double, processors: Double) {
        let wall = (ContinuousClock.now - start.wall) / .seconds(1)
        let processors = Double(clock() - start.processors) / 1e6  // CLOCKS_PER_SEC of POSIX
        let times = String(format: "%.3f s, processors %.3f s, ", wall, processors)
        print(name.padding(toLength: 19, withPad: " ", startingAt: 0) + times + detail)
        return (wall, processors)
    }
}

func memory(_ most: (pictures: Int, bytes: Int) = Picture.takeMost()) -> String {
    "at most \(most.pictures) pictures, " + String(format: "%.1f MB", Double(most.bytes) / 1e6)
}

/// A queue for the whole job, with its progress on a terminal. Returns when all operations have ended.
func withQueue<Result>(_ name: String, _ body: (WorkOperationQueue) async throws -> Result) async throws -> Result {
    let queue = WorkOperationQueue(label: "pictures", width: options.width)
    let drawing = Task { [updates = queue.progressUpdates] in await bar.follow(updates, name) }
    let result = try await body(queue)
    await queue.drain()
    drawing.cancel()
    await drawing.value
    return result
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
    let jobs = (
        loop: try job.into("loop"), foundation: try job.into("foundation"), operations: try job.into("operations"),
        list: try job.into("list")
    )
    print("\(job.files.count) pictures, width \(options.width), \(options.height) rows on the screen")

    _ = Picture.takeMost()
    let loopTime = Stopwatch()
    let failures = runLoop(jobs.loop)
    loopTime.report("plain loop", memory())

    // What Foundation does first: its first operation starts Dispatch.
    _ = runFoundation(Job(files: [], filters: [], output: output), width: options.width)
    let foundationTime = Stopwatch()
    let others = runFoundation(jobs.foundation, width: options.width)
    let foundation = foundationTime.report("OperationQueue", memory())

    let allTimeline = Timeline()
    let allTime = Stopwatch()
    let all = try await withQueue("all rows") { try await runOperations(jobs.operations, on: $0, allTimeline) }
    let most = Picture.takeMost()
    let ours = allTime.report("WorkOperationQueue", memory(most))

    let timeline = Timeline()
    let listTime = Stopwatch()
    let (list, cancelled, scrolling) = try await withQueue("scrolling list") { queue in
        var list = ScrollingList(jobs.list, on: queue, height: options.height, timeline)
        return (try await list.run(), list.cancelled, list.scrolling)
    }
    let mostOfList = Picture.takeMost()
    let listed = listTime.report("scrolling list", memory(mostOfList))
    for (name, time) in [("WorkOperationQueue", ours), ("the list", listed)] {
        let ratios = (time.wall / foundation.wall, time.processors / foundation.processors)
        print("\(name) took " + String(format: "%.2f of OperationQueue's time, and %.2f of its processor time", ratios.0, ratios.1))
    }
    print(
        "the list showed \(list.seen.count) rows and cancelled \(cancelled), in \(timeline.count(of: .decode)) decodes and "
            + String(format: "\(timeline.count(of: .write)) writes; it scrolled for %.3f s", scrolling / .seconds(1)))

    for (row, message) in all.sorted(by: { $0.key < $1.key }) {
        FileHandle.standardError.write(Data("imagepipeline: \(job.files[row].lastPathComponent): \(message); skipped\n".utf8))
    }
    if options.out != nil {
        try Data(timeline.svg().utf8).write(to: output.appendingPathComponent("timeline.svg"))
        print("timeline: \(output.appendingPathComponent("timeline.svg").path)")
    }
    if all != failures || others != failures || list.failures != failures.filter({ list.seen.contains($0.key) }) {
        finish("the contenders do not agree on which files are broken")
    }
    // Of a row that was cancelled while it was written the list has a file, too.
    let listedNames = files.subpaths(atPath: jobs.list.output.path) ?? []
    let expected = list.seen.subtracting(failures.keys).map { jobs.list.result($0).lastPathComponent }
    if !Set(listedNames).isSuperset(of: expected) { finish("the list did not write every row that it showed") }
    let names = files.subpaths(atPath: jobs.loop.output.path) ?? []
    for (job, names) in [(jobs.operations, names), (jobs.foundation, names), (jobs.list, listedNames)] {
        for name in names where !files.contentsEqual(
            atPath: jobs.loop.output.appendingPathComponent(name).path, andPath: job.output.appendingPathComponent(name).path)
        {
            finish("\(job.output.appendingPathComponent(name).path): not what the plain loop wrote")
        }
    }
    let parallel = max(timeline.parallel, allTimeline.parallel)
    if parallel > options.width { finish("\(parallel) stages ran at a time") }
    for most in [most, mostOfList] where most.pictures > Filter.mostPictures * options.width {
        finish("\(most.pictures) pictures were in memory")
    }
    print("check: the same bytes as the plain loop, at most \(parallel) stages with \(Filter.mostPictures) pictures each")
    finish(status: failures.isEmpty ? 0 : 1)
} catch {
    finish("\(error)")
}
