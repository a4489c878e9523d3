// A program for Dispatch. Moved.swift, the one file, moves it: with that file its queues are ours. `moved deadlock` hangs with Dispatch,
// and says why with us. Tests/ explores its race.

if CommandLine.arguments.dropFirst().first == "deadlock" {
    stocktaking()
} else {
    let day = openingDay()
    print("left: \(day.left), receipts: \(day.receipts)")
}
