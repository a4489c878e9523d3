import CSerialQueueTesting

extension Exploration {
    /// What C has run.
    init(_ result: sq_explored_t, escapes: [String]) {
        let isDepthFirst = result.known > 0
        let summary = result.summary.map { String(cString: $0) } ?? ""
        self.init(
            schedules: Int(result.schedules),
            isComplete: result.is_complete,
            completeBound: isDepthFirst ? Int(result.complete_depth) : nil,
            known: isDepthFirst ? Int(clamping: result.known) : nil,
            estimate: isDepthFirst ? result.estimate : nil,
            escapes: escapes,
            description: (summary + ExplorationFailure.list(escapes)).split(separator: "\n", omittingEmptySubsequences: true).joined(separator: "\n"))
    }
}

extension ExplorationFailure {
    /// What C found.
    init(_ result: sq_explored_t, escapes: [String]) {
        let message = result.message.map { String(cString: $0) } ?? "A schedule failed."
        self.init(
            message: message,
            description: (result.report.map { String(cString: $0) } ?? message) + Self.list(escapes),
            tape: result.tape.map { String(cString: $0) } ?? "",
            seed: result.seed,
            schedules: Int(result.schedules),
            choices: result.choices,
            choicesThatMatter: result.choices_that_matter,
            isRepeatable: result.is_repeatable,
            escapes: escapes)
    }

    /// No schedule failed, but they were not all of the schedule's making.
    static func escaped(_ result: sq_explored_t, _ escapes: [String]) -> ExplorationFailure {
        let list = escapes.map { "  - " + $0 }.joined(separator: "\n")
        return plain(
            "Not all of the test was under control: \(escapes[0])",
            details: """
                Not all of the test was under control, so its schedules were not explored, and a failure could not be replayed:
                \(list)
                To explore it all the same, pass allowsEscapes: true.
                """,
            schedules: Int(result.schedules), escapes: escapes)
    }

    fileprivate static func list(_ escapes: [String]) -> String {
        escapes.isEmpty ? "" : "\n  Not under control:\n" + escapes.map { "  - \($0)\n" }.joined()
    }

    /// The options or the tape were refused.
    static func notBegun(_ result: sq_explored_t) -> ExplorationFailure {
        plain(result.report.map { String(cString: $0) } ?? "exploreSchedules: no memory, or no thread could be started.")
    }

    static let noHook = plain(
        """
        exploreSchedules needs a Swift runtime with a hook for its global executor (swift_task_enqueueGlobal_hook), and with the jobs of Swift 6.3; \
        this one has none, or others.
        """)

    static let nested = plain("exploreSchedules was called within a test that is being explored: explorations don't nest.")

    private static func plain(
        _ message: String, details: String? = nil, schedules: Int = 0, escapes: [String] = []
    ) -> ExplorationFailure {
        ExplorationFailure(
            message: message, description: details ?? message, tape: "", seed: 0, schedules: schedules, choices: 0,
            choicesThatMatter: 0, isRepeatable: false, escapes: escapes)
    }
}
