/// Who gets the closure of a suspended caller, and what the caller is told: a value whose methods say what is to be done.
/// Its owner calls them under a lock, and does it without.
///
/// The closure is there to be claimed, once: by its turn, a cancellation or a refusal, whichever comes first. Whoever has
/// it runs or releases it, and then tells the caller, who may not have been suspended yet.
struct Turn<Body, Continuation> {
    private enum Caller {
        case onItsWay
        case suspended(Continuation)
        case told((any Error)?)
    }

    /// To be resumed, with the error if there is one.
    struct Resumption {
        let continuation: Continuation
        let error: (any Error)?
    }

    private var body: Body?
    private var caller = Caller.onItsWay

    init(_ body: Body) {
        self.body = body
    }

    /// `nil`: somebody else was first.
    mutating func claim() -> Body? {
        body.take()
    }

    /// To be called once, by the caller.
    mutating func suspend(_ continuation: Continuation) -> Resumption? {
        if case .told(let error) = caller { return Resumption(continuation: continuation, error: error) }
        caller = .suspended(continuation)
        return nil
    }

    /// To be called once, by whoever knows: the body has run, or will run as promised (`nil`), or never will.
    mutating func tell(_ error: (any Error)?) -> Resumption? {
        let resumption: Resumption? =
            if case .suspended(let continuation) = caller { Resumption(continuation: continuation, error: error) } else { nil }
        caller = .told(error)
        return resumption
    }
}

extension Turn.Resumption where Continuation == UnsafeContinuation<Void, any Error> {
    func perform() {
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
}
