import Testing
import SerialQueueTesting
import SerialQueue

/// A program with one planted bug, and the same without it.
struct Program: Sendable, CustomTestStringConvertible {
    let name: String
    let broken: @Sendable (ManualPool) async throws -> Void
    let correct: @Sendable (ManualPool) async throws -> Void

    var testDescription: String { name }

    static let all: [Program] = [
        lostUpdate, checkThenAct, cacheFilledTwice, reentrantActor, cancelAgainstStart, shutdownAgainstSubmit, assumedOrder,
        timeoutAgainstAnswer, resumedTwice, leakedWaiter, staleRead, unsubscribeDuringNotify,
    ]
}
