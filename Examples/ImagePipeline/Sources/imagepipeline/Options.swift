import Foundation

struct Options {
    static let help = """
        usage: imagepipeline [OPTION ...] [FOLDER]
        Filters the JPEG and PNG files of FOLDER with a plain loop, OperationQueue and WorkOperationQueue, and then as a scrolling
        list would: only what is on the screen.
          --out FOLDER       keeps the results there, and the timeline (else they are removed)
          --width N          at most N operations at a time (one per processor)
          --height N         rows on the screen (6)
          --filters LIST     of resize,cartoon,blur,sepia (resize,cartoon)
          --count N          without FOLDER: makes N pictures (200)
          --megapixels X     of this size (4)
          --make FOLDER      makes the pictures there, and only that

        """

    var folder: String?
    var out: String?
    var make: String?
    var width = ProcessInfo.processInfo.activeProcessorCount
    var height = 6
    var count = 200
    var megapixels = 4.0
    var filters = Filter.usual

    /// Ends the program if it cannot be done.
    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            func value() -> String {
                guard let value = rest.popFirst() else { stop("\(argument) needs a value", status: 2) }
                return value
            }
            func number<Number: LosslessStringConvertible & Comparable>(_ range: ClosedRange<Number>) -> Number {
                let text = value()
                guard let number = Number(text), range.contains(number) else {
                    stop("\(argument) \(text): not between \(range.lowerBound) and \(range.upperBound)", status: 2)
                }
                return number
            }
            switch argument {
            case "--help":
                print(Self.help, terminator: "")
                exit(0)
            case "--out": out = value()
            case "--make": make = value()
            case "--width": width = number(1...1024)
            case "--height": height = number(1...100_000)
            case "--count": count = number(1...100_000)
            case "--megapixels": megapixels = number(0.001...100)
            case "--filters":
                filters = value().split(separator: ",").map { name in
                    guard let filter = Filter(rawValue: String(name)) else { stop("\(name): no such filter", status: 2) }
                    return filter
                }
            case _ where argument.hasPrefix("-") || folder != nil: stop("\(argument): see --help", status: 2)
            default: folder = argument
            }
        }
    }
}

/// Ends the program with a message.
func stop(_ message: String, status: Int32 = 1) -> Never {
    FileHandle.standardError.write(Data("imagepipeline: \(message)\n".utf8))
    exit(status)
}
