import CSerialQueue
import CTaskHook

/// What to explore, and how.
struct ExplorationPlan: Sendable {
    let name: String
    let schedules: Int
    let strategy: ExplorationStrategy
    let seed: UInt64?
    let steps: Int
    let allowsEscapes: Bool

    /// A name as tapes have it: `Module/File.swift:function()` becomes `File.function()`.
    static func name(_ given: String) -> String {
        let file = given.split(separator: "/").last.map(String.init) ?? given
        return file.split(separator: ".swift:", maxSplits: 1).joined(separator: ".")
            .map { $0 == " " || $0 == "\t" || $0 == "\n" ? "_" : String($0) }.joined()
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
