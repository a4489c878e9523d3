// Descriptions.swift: the descriptions of the queues. One line each, with the label if there is one.

extension FIFOQueue: CustomStringConvertible {
    /// The type and the label.
    public var description: String {
        "FIFOQueue \"\(label)\""
    }
}

extension ActorQueue: CustomStringConvertible {
    /// The type, including the actor's type.
    public var description: String {
        "ActorQueue<\(ActorType.self)>"
    }
}

extension MainActorQueue: CustomStringConvertible {
    /// The type.
    public var description: String {
        "MainActorQueue"
    }
}
