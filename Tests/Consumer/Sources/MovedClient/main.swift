// A client of the moved library, moved by the plain file.
import Dispatch
import MovedLibrary

final class Reports: StoreDelegate, Sendable {
    let queue = DispatchQueue(label: "com.example.reports")
    func changed(_ key: String) {
        dispatchPrecondition(condition: .onQueue(queue))
        print("moved-client: \(key) changed")
    }
}

let store = Store(), reports = Reports(), group = DispatchGroup(), mine = DispatchQueue(label: "com.example.mine")
store.exclusively { store.delegate = reports }
store.set("a", 1, in: group)
group.wait()
store.value("a", in: group) { print("moved-client: a is \($0 ?? 0)") }
group.wait()
mine.twice(in: group) { dispatchPrecondition(condition: .onQueue(mine)) }
group.wait()
store.exclusively {
    dispatchPrecondition(condition: .onQueue(store.queue))
    return  // as the only expression it would be the result
}
print("moved-client: \(type(of: store.queue) == DispatchQueue.self ? "one type" : "two types")")
