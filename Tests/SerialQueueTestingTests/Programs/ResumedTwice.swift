import SerialQueue
import SerialQueueTesting

/// Two servers are asked; the first answer resumes the caller. A real continuation that is resumed twice ends the program.
extension Program {
    static let resumedTwice = Program(name: "continuation resumed twice") { pool in
        try await check(pool) { await $0.answer($1) }
    } correct: { pool in
        try await check(pool) { await $0.answerOnce($1) }
    }

    private static func check(_ pool: ManualPool, answer: @escaping @Sendable (Server, Promise) async -> Void) async throws {
        let promise = Promise()
        async let first: Void = answer(Server(), promise)
        async let second: Void = answer(Server(), promise)
        _ = await (first, second)
        try pool.require(await promise.resumptions == 1, "the caller was resumed twice")
    }

    private actor Server {
        private var answers = 0

        func answer(_ promise: Promise) async {
            guard await !promise.isKept else { return }
            answers += 1
            await promise.keep()
        }

        func answerOnce(_ promise: Promise) async {
            answers += 1
            await promise.keepOnce()
        }
    }

    private actor Promise {
        private(set) var resumptions = 0
        var isKept: Bool { resumptions > 0 }

        func keep() {
            resumptions += 1
        }

        func keepOnce() {
            if !isKept { keep() }
        }
    }
}
