# breakfast.sh: checks the operations.

# What ran, what did not, and the two refusals.
check_breakfast() { # program
    run "$1"
    has_status 0
    expect 'what succeeded' says 'on the table: 4 slices of toast' out
    expect 'what depends on a failure' says 'on the table: nothing (Burnt())' out
    expect 'the cycle' says 'A cycle of operations: "knife" depends on "butter" depends on "knife".' out
    expect 'the deadlock' says 'operation "stir" waits for operation "salt"; queue "cook" of width 1 is full with "stir"' out
}
