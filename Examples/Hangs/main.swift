// The classic ways to hang a program with a serial queue, and what you see of them. `hangs --help` says how to run it.
//
// Each of the files SyncInAsync, Cross, OwnDeinit, ForgottenResume and ImpatientSync is one of them: the code as one would
// write it, first with SerialQueue, then with DispatchQueue. Groups, Items and Onces have eleven more. A hang may end its
// process, or never end: so each runs in a child process, this program again, with a time limit. Child starts it, Report
// prints how it ended.

import Glibc

let options = Options(CommandLine.arguments.dropFirst())
switch options.task {
case .list:
    for hang in allHangs { say("\(padded(hang.name, 16))  \(hang.summary)") }
    say("\nhangs all runs them, hangs --gcd all runs them with DispatchQueue, too.")
case .run(let chosen):
    var asExpected = true
    for hang in chosen { asExpected = show(hang, options) && asExpected }
    exit(asExpected ? 0 : 1)
case .child(let hang, let contender):
    contender == .ours ? hang.withSerialQueue() : hang.withDispatchQueue()
}

/// Runs it in a child and prints how it ended; false if that is not what this library promises.
func show(_ hang: any Hang.Type, _ options: Options) -> Bool {
    say("\(hang.name): \(hang.summary)")
    let ours = Child.run(hang, .ours, seconds: options.seconds * 10)
    say(Report(ours, of: .ours).text)
    if options.showsDispatch {
        say(Report(Child.run(hang, .dispatch, seconds: options.seconds), of: .dispatch).text)
    }
    say("")
    let said = ours.said.joined(separator: "\n")
    let missing = hang.expected.filter { !said.contains($0) }
    for words in missing { complain("\(hang.name): it should have said: \(words)") }
    return missing.isEmpty && ours.ending != .timedOut
}
