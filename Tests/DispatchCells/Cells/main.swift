// The cells. `list` names those that need a process of their own; `NAME` runs one cell; without arguments all others run.
import Dispatch
import Glibc

func finish() -> Never {
    fflush(nil)
    _exit(0)
}

setvbuf(stdout, nil, _IOLBF, 0)
let all = matrix + queues + starvation + targets + objects + sources + mains + ends
let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "list" {
    for cell in all where cell.isAlone { print(cell.name) }
} else if let name = arguments.first {
    print(all.first { $0.name == name }!.run())
} else {
    for cell in all where !cell.isAlone && !cell.needsMain { print("\(cell.name): \(cell.run())") }
    // A thread of its own for those that need the main thread elsewhere.
    var thread = pthread_t()
    pthread_create(&thread, nil, { _ in
        for cell in all where cell.needsMain { print("\(cell.name): \(cell.run())") }
        finish()
    }, nil)
    dispatchMain()
}
finish()
