// slow: a service that is too slow, for three reasons. Documentation: "Finding a hang", "A slow service".
//
//     slow             serves orders for about a second, and says how long they took
//     slow --dump      the same, and then dumps all queues to stderr
//
// Where the time goes is not in the source's order, and not in its names: look at a dump and at a trace.

import SerialQueue

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

let arguments = CommandLine.arguments.dropFirst()
guard arguments.allSatisfy({ $0 == "--dump" }) else {
    print("usage: slow [--dump]")
    exit(2)
}

let clients = 8, ordersEach = 15
let service = Service()
let clock = ContinuousClock()
let began = clock.now
let longest = QueueIsolated(Duration.zero, on: SerialQueue(label: "finished"))

let threads = (0..<clients).map { client in
    Thread {
        for number in 0..<ordersEach {
            let start = clock.now
            service.serve(Order(client: client, number: number))
            let took = clock.now - start
            longest.sync { $0 = max($0, took) }
        }
    }
}
threads.forEach { $0.join() }
service.end()
let average = (clock.now - began) / ordersEach
print("\(clients * ordersEach) orders, \(milliseconds(average)) ms for an order on average, \(milliseconds(longest.sync { $0 })) ms at most")
print("\(service.unsent) mails were not sent")
if arguments.contains("--dump") {
    SerialQueue.dump()
}
