import SerialQueue

/// Runs a test under many schedules, until one of them fails.
///
/// Each run gets a new ``SerialQueue/ManualPool``. Where threads would be free, the run decides: which task, actor or queue is
/// next, when time passes, which of two timers fires first. So the test sees orders that a machine takes once in a million times.
///
/// ```swift
/// actor Account {
///     private(set) var balance = 0
///     func deposit(_ amount: Int) { balance += amount }
/// }
///
/// try await exploreSchedules(1_000) { pool in
///     let account = Account()
///     async let first: Void = account.deposit(10)
///     async let second: Void = account.deposit(20)
///     _ = await (first, second)
///     try pool.require(await account.balance == 30)
/// }
/// ```
///
/// A run fails if the closure throws, would wait forever, or has more than `steps` decisions, those of tasks that it leaves included. Tasks may poll: after
/// a tenth of the steps a run is fair. The error explains the failure: the smallest schedule that causes it,
/// drawn as a timeline, and a tape that replays it. Fail by throwing, as ``SerialQueue/ManualPool/require(_:_:fileID:line:)`` does:
/// `#expect` and `XCTAssert` report each failing run, but do not stop the search, and cannot be explained. A trap ends the process; before,
/// the schedule's tape is written to stderr.
///
/// These are explored: actors, `Task { }`, child tasks and task groups, at each `await`; all queues, groups, items and semaphores of
/// this package. Make queues on the pool, and sleep on ``SerialQueue/ManualPool/clock``. Whatever else decides when a task continues is not
/// under control: a real clock, a thread or a queue outside of the pool. The exploration fails then, and names it. A task that outlives its run
/// takes part in no other one: it continues on Swift's own threads, and does not continue at all if the run could not be ended.
///
/// Don't use this to look for data races, or for what happens when a task is interrupted between two `await`s: nothing interrupts a task
/// there. That is ThreadSanitizer's job.
///
/// The explorations of a process run one after the other. If the environment has a tape (`SQ_TAPE`) of a
/// test, that test only replays the tape; others run as without it.
///
/// - Parameters:
///   - count: How many schedules to try, at most; no more than `SQ_SCHEDULES` in the environment.
///   - strategy: How they are chosen.
///   - seed: Of the random strategies; `nil`: `SQ_SEED` from the environment, else 1.
///   - steps: A run with more decisions than that has no end, and fails.
///   - name: Names the test in tapes, where blanks, slashes and apostrophes are underscores; `nil`: the file and the function.
///   - allowsEscapes: Whether the exploration continues although something was not under control.
///   - fileID: Of the call: a part of the name.
///   - function: Of the call: a part of the name.
///   - test: The test. Called many times, so it makes its own queues, actors and tasks each time.
/// - Returns: How much was explored.
/// - Throws: ``ExplorationFailure`` if a schedule fails; `CancellationError` if the caller is cancelled.
@discardableResult
public func exploreSchedules(
    _ count: Int = 1_000,
    strategy: ExplorationStrategy = .random,
    seed: UInt64? = nil,
    steps: Int = 10_000,
    name: String? = nil,
    allowsEscapes: Bool = false,
    fileID: String = #fileID,
    function: String = #function,
    _ test: @escaping @Sendable (ManualPool) async throws -> Void
) async throws -> Exploration {
    precondition(count > 0 && steps > 0, "exploreSchedules: the numbers of schedules and of steps must be positive")
    let explorer = Explorer(
        plan: ExplorationPlan(
            name: ExplorationPlan.name(name, fileID: fileID, function: function), schedules: count, strategy: strategy, seed: seed,
            steps: steps, allowsEscapes: allowsEscapes),
        test: test)
    return try await explorer.explore()
}

/// How schedules are chosen.
public struct ExplorationStrategy: Sendable {
    enum Kind: Sendable {
        case random
        case pct(changes: Int)
        case depthFirst(bound: Int?)
    }

    let kind: Kind

    /// Each decision at random. A good first choice.
    public static let random = ExplorationStrategy(kind: .random)

    /// Random priorities that change three times in a run. Finds what needs a task to be much slower than the others.
    public static let pct = pct(changes: 3)

    /// Random priorities that change a few times in a run.
    public static func pct(changes: Int) -> ExplorationStrategy {
        ExplorationStrategy(kind: .pct(changes: changes))
    }

    /// All schedules, those with the fewest unusual decisions first. The ``Exploration`` says whether there are others, and about how many.
    ///
    /// Of two tasks it runs both orders, even if they share no actor and no queue: it cannot see which of your data they read and write.
    public static let depthFirst = ExplorationStrategy(kind: .depthFirst(bound: nil))

    /// All schedules with at most so many unusual decisions.
    public static func depthFirst(bound: Int) -> ExplorationStrategy {
        ExplorationStrategy(kind: .depthFirst(bound: bound))
    }
}

/// What an exploration without a failure has done. Its description says how much was run, which limit ended it, and what to raise.
public struct Exploration: CustomStringConvertible, Sendable {
    /// How many schedules were run.
    public let schedules: Int

    /// With ``ExplorationStrategy/depthFirst``: there are no other schedules, within its bound. Schedules in which a task is interrupted
    /// elsewhere than at an `await`, or before and after a `sync`, a permit or a cancel, are not counted; ``SerialQueue/ManualPool/yield()``
    /// adds such a place.
    public let isComplete: Bool

    /// With ``ExplorationStrategy/depthFirst``: all schedules with so many unusual decisions, or fewer, were run. `nil` with the other strategies.
    public let completeBound: Int?

    /// With ``ExplorationStrategy/depthFirst``: so many schedules there are at least, within its bound. Exact if ``isComplete``, or if the bound
    /// is ``completeBound`` + 1. `nil` with the other strategies.
    public let known: Int?

    /// With ``ExplorationStrategy/depthFirst``: an estimate of how many schedules there are, without a bound. Exact if all were run, else it may be
    /// wrong by a factor of ten. `nil` with the other strategies.
    public let estimate: Double?

    /// What was not under control, by name. Empty unless escapes were allowed.
    public let escapes: [String]

    /// How much was run, which limit ended it, and what to raise.
    public let description: String
}

/// A schedule under which a test fails. Its description explains it.
public struct ExplorationFailure: Error, CustomStringConvertible, Sendable {
    /// Why the test failed, in one line.
    public let message: String

    /// The whole explanation.
    public let description: String

    /// The shrunk schedule, for the environment's `SQ_TAPE`; empty if there is none.
    public let tape: String

    /// The seed with which this is the first schedule.
    public let seed: UInt64

    /// How many schedules were run before one failed, including it.
    public let schedules: Int

    /// How many decisions the schedule had that was found.
    public let choices: Int

    /// How many decisions of the shrunk schedule matter: without any one of them the test does not fail in this way.
    public let choicesThatMatter: Int

    /// Whether the schedule failed again when it was run again.
    public let isRepeatable: Bool

    /// What was not under control, by name.
    public let escapes: [String]
}
