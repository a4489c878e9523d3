#if FOUNDATION
import Foundation

begin()
RunLoop.main.run()
#else
import Dispatch

begin()
dispatchMain()
#endif
