// OperationContenders.swift: operations of this library, of Foundation, and by hand with task groups and dispatch groups.

import Dispatch
import Foundation
import SerialQueue
import SerialQueueOperations

struct OurOperations: OperationContender {
    private let queue = WorkOperationQueue(label: "bench")

    func independent(_ count: Int, counting counter: OperationCounter) {
        for _ in 0..<count { queue.add { counter.up() } }
        finish()
    }

    func chain(_ count: Int, counting counter: OperationCounter) -> Bool {
        let chain = (0..<count).map { _ in WorkOperation { counter.up() } }
        for index in (0..<count).reversed() {
            if index > 0 { try! chain[index].add(dependency: chain[index - 1]) }
            try! queue.add(chain[index])
        }
        finish()
        return true
    }

    func graph(_ count: Int, _ dependencies: [(Int, Int)], counting counter: OperationCounter) -> Bool {
        let all = (0..<count).map { _ in WorkOperation { counter.up() } }
        for (operation, dependency) in dependencies { try! all[operation].add(dependency: all[dependency]) }
        for operation in all { try! queue.add(operation) }
        finish()
        return true
    }

    func hold(_ count: Int, counting counter: OperationCounter) -> (any HeldOperations)? {
        queue.suspend()
        for _ in 0..<count { queue.add { counter.up() } }
        return Held(contender: self)
    }

    private struct Held: HeldOperations {
        let contender: OurOperations

        func open() {
            contender.queue.resume()
            contender.finish()
        }
    }

    private func finish() { try! queue.wait() }
}

struct FoundationOperations: OperationContender {
    private let queue = OperationQueue()

    func independent(_ count: Int, counting counter: OperationCounter) {
        for _ in 0..<count { queue.addOperation { counter.up() } }
        queue.waitUntilAllOperationsAreFinished()
    }

    func chain(_ count: Int, counting counter: OperationCounter) -> Bool {
        let chain = (0..<count).map { _ in BlockOperation { counter.up() } }
        for index in (0..<count).reversed() {
            if index > 0 { chain[index].addDependency(chain[index - 1]) }
            queue.addOperation(chain[index])
        }
        queue.waitUntilAllOperationsAreFinished()
        return true
    }

    func graph(_ count: Int, _ dependencies: [(Int, Int)], counting counter: OperationCounter) -> Bool {
        let all = (0..<count).map { _ in BlockOperation { counter.up() } }
        for (operation, dependency) in dependencies { all[operation].addDependency(all[dependency]) }
        for operation in all { queue.addOperation(operation) }
        queue.waitUntilAllOperationsAreFinished()
        return true
    }

    func hold(_ count: Int, counting counter: OperationCounter) -> (any HeldOperations)? {
        queue.isSuspended = true
        for _ in 0..<count { queue.addOperation { counter.up() } }
        return Held(queue: queue)
    }

    private struct Held: HeldOperations {
        let queue: OperationQueue

        func open() {
            queue.isSuspended = false
            queue.waitUntilAllOperationsAreFinished()
        }
    }
}

/// Child tasks. They have no dependencies: each would have to await what it depends on.
struct TaskGroupOperations: OperationContender {
    func independent(_ count: Int, counting counter: OperationCounter) {
        let done = DispatchSemaphore(value: 0)
        Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count { group.addTask { counter.up() } }
            }
            done.signal()
        }
        done.wait()
    }

    func chain(_ count: Int, counting counter: OperationCounter) -> Bool { false }
    func graph(_ count: Int, _ dependencies: [(Int, Int)], counting counter: OperationCounter) -> Bool { false }
    func hold(_ count: Int, counting counter: OperationCounter) -> (any HeldOperations)? { nil }
}

/// What is written by hand: a dispatch group for what each operation waits for, and a notification that runs it.
struct DispatchGroupOperations: OperationContender {
    private let queue = DispatchQueue(label: "bench", attributes: .concurrent)

    func independent(_ count: Int, counting counter: OperationCounter) {
        let all = DispatchGroup()
        for _ in 0..<count { queue.async(group: all) { counter.up() } }
        all.wait()
    }

    func chain(_ count: Int, counting counter: OperationCounter) -> Bool {
        graph(count, (1..<count).reversed().map { ($0, $0 - 1) }, counting: counter)
    }

    func graph(_ count: Int, _ dependencies: [(Int, Int)], counting counter: OperationCounter) -> Bool {
        let groups = (0..<count).map { _ in DispatchGroup() }, all = DispatchGroup()
        var successors = [[Int]](repeating: [], count: count)
        for (operation, dependency) in dependencies {
            groups[operation].enter()
            successors[dependency].append(operation)
        }
        for (index, own) in successors.enumerated() {
            all.enter()
            groups[index].notify(queue: queue) {
                counter.up()
                for successor in own { groups[successor].leave() }
                all.leave()
            }
        }
        all.wait()
        return true
    }

    func hold(_ count: Int, counting counter: OperationCounter) -> (any HeldOperations)? {
        let held = Held(all: DispatchGroup(), gate: DispatchGroup())
        held.gate.enter()
        for _ in 0..<count {
            held.all.enter()
            held.gate.notify(queue: queue) {
                counter.up()
                held.all.leave()
            }
        }
        return held
    }

    private struct Held: HeldOperations {
        let all, gate: DispatchGroup

        func open() {
            gate.leave()
            all.wait()
        }
    }
}
