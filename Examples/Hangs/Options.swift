import Glibc

private let usage = """
    Usage: hangs [--gcd] [--limit SECONDS] [all | NAME ...]

    Does what hangs a program with a serial queue, in a child process, and shows what is seen of it.
    Without a NAME it lists them.

      --gcd            do the same with DispatchQueue
      --limit SECONDS  after how long a child counts as hung (1 to 600, else 3; ten times as long with
                       this library, where none should)
      --help           print this

    Exit status: 0; 1 if this library did not say what it should; 2 for a wrong command line.
    """

/// The command line. Ends the program after --help with status 0, after a mistake with a sentence and status 2.
struct Options {
    enum Task {
        case list
        case run([any Hang.Type])
        case child(any Hang.Type, Contender)
    }

    private(set) var task = Task.list
    private(set) var showsDispatch = false
    private(set) var seconds = 3

    init(_ arguments: ArraySlice<String>) {
        var chosen: [any Hang.Type] = []
        var rest = arguments
        while let word = rest.popFirst() {
            switch word {
            case "--help":
                say(usage)
                exit(0)
            case "--gcd": showsDispatch = true
            case "--limit":
                guard let value = rest.popFirst(), let number = Int(value), (1...600).contains(number) else {
                    Self.wrong("--limit needs a number from 1 to 600")
                }
                seconds = number
            case "--child":
                guard let contender = rest.popFirst().flatMap(Contender.init), let name = rest.popFirst() else {
                    Self.wrong("--child is for this program itself")
                }
                task = .child(Self.hang(name), contender)
                return
            case "all": chosen += allHangs
            default: chosen.append(Self.hang(word))
            }
        }
        if showsDispatch && chosen.isEmpty { chosen = allHangs }
        if !chosen.isEmpty { task = .run(chosen) }
    }

    private static func hang(_ name: String) -> any Hang.Type {
        guard let hang = allHangs.first(where: { $0.name == name }) else { wrong("there is no \(name)") }
        return hang
    }

    private static func wrong(_ sentence: String) -> Never {
        complain(sentence + "\nTry hangs --help.")
        exit(2)
    }
}
