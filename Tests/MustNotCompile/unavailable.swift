// Calls that Dispatch has and the queues do not: the error names the way.
import SerialQueue

func class_of_service() {
    _ = SerialQueue(label: "thumbnails", qos: .utility)  // error: the class of service is that of the pool: SerialQueue(label: label, on: .shared(.utility))
}

func what_is_there() {
    _ = SerialQueue()
    _ = SerialQueue(label: "thumbnails")
    _ = SerialQueue(label: "thumbnails", on: .shared(.utility))
}
