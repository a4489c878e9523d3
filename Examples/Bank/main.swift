// Two customers transfer money at the same time, under a thousand schedules. Bank has the planted bug, and the fix.
//
//     transfers             the bank with the bug: says how it fails, and ends with 1
//     transfers --careful   the one without it

import Foundation
import SerialQueue
import SerialQueueTesting

/// The test. In a test target it stands in a `@Test` function.
func testTransfers(_ kind: (some Bank).Type) async throws -> Exploration {
    try await exploreSchedules(1_000, name: "bank") { pool in
        let bank = kind.init(), anna = Account(100), ben = Account(100)
        async let first: Void = bank.transfer(10, from: anna, to: ben)
        async let second: Void = bank.transfer(20, from: ben, to: anna)
        _ = await (first, second)
        try pool.require(await anna.balance + ben.balance == 200, "money is lost or found")
    }
}

do {
    let isCareful = CommandLine.arguments.contains("--careful")
    let explored = try await isCareful ? testTransfers(CarefulBank.self) : testTransfers(HastyBank.self)
    print(explored)
} catch {
    print(error)
    exit(1)
}
