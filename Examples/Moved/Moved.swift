import SerialQueueDispatch

typealias DispatchGroup = SerialQueueDispatch.DispatchGroup
typealias DispatchObject = SerialQueueDispatch.DispatchObject
typealias DispatchPredicate = SerialQueueDispatch.DispatchPredicate
typealias DispatchQueue = SerialQueueDispatch.DispatchQueue
typealias DispatchSemaphore = SerialQueueDispatch.DispatchSemaphore
typealias DispatchSource = SerialQueueDispatch.DispatchSource
typealias DispatchSourceProtocol = SerialQueueDispatch.DispatchSourceProtocol
typealias DispatchSourceTimer = SerialQueueDispatch.DispatchSourceTimer
typealias DispatchWorkItem = SerialQueueDispatch.DispatchWorkItem

func dispatchMain() -> Never {
    SerialQueueDispatch.dispatchMain()
}

func dispatchPrecondition(
    condition: @autoclosure () -> DispatchPredicate, file: StaticString = #fileID, line: UInt = #line
) {
    SerialQueueDispatch.dispatchPrecondition(condition: condition(), file: file, line: line)
}
