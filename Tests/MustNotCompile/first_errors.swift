// The errors that DataRaces.md quotes, under "What the compiler says".
import SerialQueue

final class Document {
    var text = ""
}

func used_later(_ queue: SerialQueue) {
    let document = Document()
    queue.async { document.text = "new" }  // error: sending value of non-Sendable type '() -> ()' risks causing data races
    print(document.text)
}

func of_the_caller(_ queue: SerialQueue, _ document: Document) {
    queue.async { document.text = "new" }  // error: passing closure as a 'sending' parameter risks causing data races
}

final class Editor {
    let queue = SerialQueue()
    var text = ""
    func save() {
        queue.async { print(self.text) }  // error: passing closure as a 'sending' parameter risks causing data races
    }
}

func stored(_ queue: SerialQueue, _ handler: @escaping () -> Void) {
    queue.async(handler)  // error: sending 'handler' risks causing data races
}

func sent_on(_ first: SerialQueue, _ second: SerialQueue, _ document: sending Document) {
    first.async {
        second.async { print(document.text) }  // error: passing closure as a 'sending' parameter risks causing data races
    }
}
