// Closures whose parameters are not their predecessors' values: the error is about the parameters.
import SerialQueueOperations

func mistake(_ queue: WorkOperationQueue, _ number: WorkOperation<Int>, _ word: WorkOperation<String>) {
    queue.add(after: number) { (word: String) in print(word) } // error: The closure's parameters are the predecessors' values
    queue.add("both", after: number, word) { (word: String, number: Int) in print(word) } // error: The closure's parameters are the predecessors' values
    queue.add(after: number, priority: .high) { (word: String) async in print(word) } // error: The closure's parameters are the predecessors' values
    queue.add(after: number, runs: .evenAfterFailure) { (number: Int) in print(number) } // error: The closure's parameters are the predecessors' results
    queue.add(after: number) { (number: Int) in number.count } // error: value of type 'Int' has no member 'count'
}

func right(_ queue: WorkOperationQueue, _ number: WorkOperation<Int>, _ word: WorkOperation<String>) {
    queue.add(after: number) { number in print(number) }
    queue.add(after: number, word) { print($0, $1) }
    queue.add(after: number, word) { print("neither") }
    queue.add(after: number, priority: .high) { (number: Int) async in print(number) }
    queue.add(after: number, runs: .evenAfterFailure) { number in print(number) }
    queue.add(after: number, runs: .evenAfterFailure) { (number: Result<Int, any Error>) in print(number) }
}
