// Counts the words of files with several threads and one serial queue. `wordcount --help` says how to run it,
// Examples/README.md what it prints. Examples/c/wordcount is the same in C.
//
//     reader ─┐ async: a batch of counts
//     reader ─┼──────────────► serial queue ──► the table
//     reader ─┘        sync ▲
//     progress bar ─────────┘

import Foundation

let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
var program = WordCount(Options(arguments.dropFirst().map { Argument($0!) }))
exit(program.run())
