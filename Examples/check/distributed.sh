# distributed.sh: checks the auction of distributed actors.

# The program compares the auction's end with what the bids make it.
check_distributed() { # program
    run "$1"
    has_status 0
    expect 'the highest bid wins' says 'winner    bidder 1, 999577' out
    expect 'the error that an actor throws comes back' says 'refused   notPositive(0)' out
    expect 'every bid ran on the queue' [ "$(sed -n 's/^queue .* ran //p' out)" -ge 4000 ]
    expect 'it says that its check held' says 'check     the highest bid has won' out
}
