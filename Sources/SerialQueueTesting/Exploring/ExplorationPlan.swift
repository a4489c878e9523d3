import CSerialQueueTesting
import CTaskHook

/// What to explore, and how.
struct ExplorationPlan: Sendable {
    let name: String
    let schedules: Int
    let strategy: ExplorationStrategy
    let seed: UInt64?
    let steps: Int
    let allowsEscapes: Bool

    /// The name of a test, as it can stand in a tape, and the tape in apostrophes: `given`, or for `Module/File.swift` `File.function()`.
    /// A raw identifier may have blanks, slashes and apostrophes in it.
    static func name(_ given: String?, fileID: String, function: String) -> String {
        let file = fileID.split(separator: "/").last.map { $0.hasSuffix(".swift") ? $0.dropLast(6) : $0 } ?? ""
        let name = given.flatMap { $0.isEmpty ? nil : $0 } ?? "\(file).\(function)"
        let scalars = name.unicodeScalars.map { scalar in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control || scalar == "/" || scalar == "'" ? "_" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The options as C has them. `name` is valid during the call.
    func withOptions<Result>(_ body: (inout sq_explore_options_t) -> Result) -> Result {
        var options = sq_task_explore_options()
        options.schedules = UInt64(schedules)
        options.seed = seed ?? 0
        options.steps = UInt64(steps)
        switch strategy.kind {
        case .random:
            options.strategy = SQ_EXPLORE_RANDOM
        case .pct(let changes):
            options.strategy = SQ_EXPLORE_PCT
            options.depth = UInt32(clamping: max(changes, 1))
        case .depthFirst(let bound):
            options.strategy = SQ_EXPLORE_DEPTH_FIRST
            options.depth = UInt32(clamping: bound ?? 0)
        }
        return name.withCString { name in
            options.name = name
            return body(&options)
        }
    }
}
