import Dispatch
import Glibc

/// Nothing has used the main queue before the first question whether this is it.
@main struct AsyncMainFirst {
    static func main() async {
        await MainActor.run {
            dispatchPrecondition(condition: .onQueue(.main))
            print("the main actor is on the main queue")
        }
        await Task.detached {
            dispatchPrecondition(condition: .notOnQueue(DispatchQueue.main))
            print("others are not")
        }.value
    }
}
