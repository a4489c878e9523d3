import Dispatch
import SerialQueueDispatch

public typealias DispatchGroup = SerialQueueDispatch.DispatchGroup
public typealias DispatchObject = SerialQueueDispatch.DispatchObject
public typealias DispatchPredicate = SerialQueueDispatch.DispatchPredicate
public typealias DispatchQueue = SerialQueueDispatch.DispatchQueue
public typealias DispatchSemaphore = SerialQueueDispatch.DispatchSemaphore
public typealias DispatchSource = SerialQueueDispatch.DispatchSource
public typealias DispatchSourceProtocol = SerialQueueDispatch.DispatchSourceProtocol
public typealias DispatchSourceRead = SerialQueueDispatch.DispatchSourceRead
public typealias DispatchSourceSignal = SerialQueueDispatch.DispatchSourceSignal
public typealias DispatchSourceTimer = SerialQueueDispatch.DispatchSourceTimer
public typealias DispatchSourceUserDataAdd = SerialQueueDispatch.DispatchSourceUserDataAdd
public typealias DispatchSourceUserDataOr = SerialQueueDispatch.DispatchSourceUserDataOr
public typealias DispatchSourceUserDataReplace = SerialQueueDispatch.DispatchSourceUserDataReplace
public typealias DispatchSourceWrite = SerialQueueDispatch.DispatchSourceWrite
public typealias DispatchWorkItem = SerialQueueDispatch.DispatchWorkItem

func dispatchMain() -> Never {
    SerialQueueDispatch.dispatchMain()
}

func dispatchPrecondition(
    condition: @autoclosure () -> DispatchPredicate, file: StaticString = #fileID, line: UInt = #line
) {
    SerialQueueDispatch.dispatchPrecondition(condition: condition(), file: file, line: line)
}

// In `DispatchTesting.run`, `now()` returns the time of the test's pool.
extension DispatchTime {
    static func now() -> DispatchTime {
        SerialQueueDispatch.dispatchNow()
    }
}
