// The cells. `list` names those that need a process of their own; `NAME` runs one cell; without arguments all others run.
import Dispatch
import Glibc

func finish() -> Never {
    fflush(nil)
    _exit(0)
}

setvbuf(stdout, nil, _IOLBF, 0)
let all = matrix + queues + objects + ends
let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "list" {
    for cell in all where cell.isAlone { print(cell.name) }
} else if let name = arguments.first {
    print(all.first { $0.name == name }!.run())
} else {
    for cell in all where !cell.isAlone { print("\(cell.name): \(cell.run())") }
}
finish()
