import SerialQueue

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct Order: Sendable {
    let client: Int
    let number: Int
}

/// Takes orders on any thread. Its state is on four queues.
final class Service: Sendable {
    private let reserved = QueueIsolated(0, on: SerialQueue(label: "inventory"))
    private let invoices = SerialQueue(label: "invoices")
    private let images = SerialQueue(label: "images")
    private let mail = SerialQueue(label: "mail")

    /// Returns when the order is written down. The rest happens later.
    func serve(_ order: Order) {
        reserved.sync {
            $0 += 1
            formatReceipt(order)
        }
        invoices.async { writeInvoice(order) }
        images.sync { render(order) }
        if order.client == 0, order.number == 3 { images.async { rebuildThumbnails() } }
        if order.client == 1, order.number == 5 { pauseMail() }
        if order.client == 1, order.number >= 5 { mail.async { send(order) } }
    }

    /// The mail server asks for a pause.
    private func pauseMail() {
        mail.suspend()
    }

    var unsent: Int { mail.depth }

    /// Waits for the invoices.
    func end() {
        try? invoices.shutdown()
    }
}

private func formatReceipt(_ order: Order) { work(2) }
private func writeInvoice(_ order: Order) { work(1) }
private func render(_ order: Order) { work(0.1) }
private func rebuildThumbnails() { work(400) }
private func send(_ order: Order) { work(1) }

/// Stands for work: nothing else uses the processor.
private func work(_ milliseconds: Double) { usleep(useconds_t(milliseconds * 1000)) }
