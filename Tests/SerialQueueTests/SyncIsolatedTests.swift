import Testing

@testable import SerialQueue

private actor Account {
    private let queue: SerialQueue
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private(set) var balance = 0

    init(on queue: SerialQueue) { self.queue = queue }

    func deposit(_ amount: Int) { balance += amount }
}

private struct Overdrawn: Error, Equatable { let by: Int }

/// Neither copyable nor throwing: the result may be of such a type, too.
private struct Receipt: ~Copyable { let balance: Int }

@Suite struct SyncIsolatedTests {
    private let queue = SerialQueue(label: "accounts")

    @Test func it_runs_in_turn_on_the_calling_thread_and_returns_the_result() {
        let account = Account(on: queue)
        for _ in 0..<100 { queue.async { account.assumeIsolated { $0.deposit(1) } } }
        let balance = queue.sync(isolatedTo: account) { account in
            account.deposit(1)
            return account.balance
        }
        #expect(balance == 101)
        let receipt = queue.sync(isolatedTo: account) { account in Receipt(balance: account.balance) }
        #expect(receipt.balance == 101)
    }

    @Test func it_throws_what_the_closure_throws_with_its_type() {
        let account = Account(on: queue)
        do throws(Overdrawn) {
            try queue.sync(isolatedTo: account) { account throws(Overdrawn) in
                throw Overdrawn(by: account.balance + 7)
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == Overdrawn(by: 7))
        }
    }

    @Test func an_actor_on_another_queue_traps_with_a_message() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let account = Account(on: SerialQueue(label: "theirs"))
            SerialQueue(label: "ours").sync(isolatedTo: account) { $0.deposit(1) }
        }
        #expect(child.said("Incorrect actor executor assumption; Expected same executor as"))
    }
}
