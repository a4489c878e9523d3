#if FOUNDATION
import Foundation
#else
import Dispatch
import Glibc
#endif

// A main function that is not async: what the main thread does is the second argument.
switch CommandLine.arguments[2] {
case "dispatchMain":
    begin { exit(0) }
    dispatchMain()
#if FOUNDATION
case "RunLoop":
    begin { exit(0) }
    RunLoop.main.run()
#endif
default:
    // The main thread waits itself, and serves nothing meanwhile.
    let done = DispatchSemaphore(value: 0)
    begin { done.signal() }
    done.must()
}
