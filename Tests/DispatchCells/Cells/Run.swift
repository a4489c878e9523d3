// What the arguments name: `list`, the cells that need a process of their own; `NAME`, one cell; without arguments all others.
import Dispatch
@preconcurrency import Glibc  // stdout

func finish() -> Never {
    fflush(nil)
    _exit(0)
}

private let all = matrix + queues + starvation + targets + objects + sources + mains + ends

/// Ends the process, or returns when the main thread is to serve the main queue; then the last cell ends the process.
func begin() {
    setvbuf(stdout, nil, _IOLBF, 0)
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "list" {
        for cell in all where cell.isAlone { print(cell.name) }
        finish()
    } else if let name = arguments.first {
        print(all.first { $0.name == name }!.run())
        finish()
    }
    for cell in all where !cell.isAlone && !cell.needsMain { print("\(cell.name): \(cell.run())") }
    // A thread of its own for those that need the main thread elsewhere.
    var thread = pthread_t()
    pthread_create(&thread, nil, { _ in
        for cell in all where cell.needsMain { print("\(cell.name): \(cell.run())") }
        finish()
    }, nil)
}
