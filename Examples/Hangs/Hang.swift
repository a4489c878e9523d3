/// One way to hang a program.
protocol Hang: Sendable {
    /// Its name on the command line.
    static var name: String { get }
    static var summary: String { get }
    /// What this library says about it.
    static var expected: [String] { get }

    static func withSerialQueue()
    static func withDispatchQueue()
}

/// Which library's queue the program hangs.
enum Contender: String {
    case ours = "SerialQueue"
    case dispatch = "DispatchQueue"
}

let allHangs: [any Hang.Type] = [
    SyncInAsync.self, Cross.self, OwnDeinit.self, ForgottenResume.self, ImpatientSync.self,
    OwnMember.self, MemberWaits.self, MemberSyncs.self, TwoGroups.self, LateMember.self, BehindBarrier.self, ItemItself.self, ItemBehind.self,
    OnceItself.self, OnceCycle.self, OnceQueue.self,
]
