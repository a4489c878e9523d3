# order.sh: checks the order of tasks, scene by scene.

# The tasks of one caller, in the order in which they ran; the letter is empty in the scene with one thread.
ran() { # letter
    sed -n 's/^ *ran //p' out | tr ' ' '\n' | grep "^$1[1-5]$" | tr -d 'A-Z\n'
}

check_order() { # program
    for threads in 2 3 8; do
        run "$1" --threads "$threads"
        has_status 0
        expect 'both scenes hold' [ "$(grep -c 'holds each task once' out)" -eq 2 ]
        expect 'three rows for each task' [ "$(grep -cE '^ +[0-9]+  ' out)" -eq $((15 * (threads + 1))) ]
        expect 'the times only grow' eval "awk '/^ +us/ { t = -1 } /^ +[0-9]+  / { if (\$1 < t) exit 1; t = \$1 }' out"
        expect 'one thread: 1 to 5' [ "$(ran '')" = 12345 ]
        for letter in $(echo A B C D E F G H | cut -d ' ' -f "1-$threads"); do
            expect "thread $letter: 1 to 5" [ "$(ran "$letter")" = 12345 ]
        done
        # Which of them are done before it submits 3 depends on the machine.
        expect '3 waits for nothing but 1 and 2' grep -qE '^ +[0-9]+  sync 3([ |]+waits for (1|2|1 2))?$' out
        expect 'sync 3 runs on the main thread' grep -qE '^ +[0-9]+  \[ 3 runs' out
        # The colon is there if main has submitted 5 by then; the column of its own begins two blanks after the time.
        expect 'async 4 runs in the other column' grep -qE '^ +[0-9]+  [: ] {10,}\[ 4 runs' out
    done
    for _ in $(seq 20); do
        run "$1"
        has_status 0
    done
    run "$1" --puzzles
    has_status 0
    expect 'eight puzzles' [ "$(grep -cE '^(serial|concurrent) queue: 1 a?sync' out)" -eq 8 ]
    expect 'a timeline and a count for each' [ "$(grep -cE '^     printed [1-5]+; of 200 rounds: ' out)" -eq 8 ]
    expect 'what is allowed, for each' [ "$(grep -cE '^     allowed [1-5]+(, [1-5]+)*; in all (1 schedule|([2-9]|[1-9][0-9]+) schedules)$' out)" -eq 8 ]
    expect 'async in async on a concurrent queue' says '     allowed 12345, 12354, 12435, 12453, 12534, 12543, 15234, 15243; in all' out
    expect 'async in sync on a serial queue' says '     allowed 12435, 12453; in all' out
    expect 'two of them are deadlocks' [ "$(grep -c 'refused: it would wait for its own task' out)" -eq 2 ]
    expect 'each round is counted once' eval "awk '/^     printed/ { n = 0; for (i = 6; i <= NF; i++) if (\$i ~ /x,?\$/) n += \$i; if (n != 200) exit 1 }' out"
    expect 'sync in sync on a serial queue' says '     printed 1245; of 200 rounds: 1245 200x' out
    expect 'sync in sync on a concurrent queue' says '     printed 12345; of 200 rounds: 12345 200x' out
    run "$1" --help
    has_status 0
    for arguments in '--threads 1' '--threads 9' '--threads' '--threads x' 'x' '--threads 2 3' '--puzzles 1'; do
        run "$1" $arguments
        expect "$arguments: exit status 2, not $status" [ "$status" -eq 2 ]
    done
    "$1" >/dev/full 2>err
    expect 'a full disk is reported' says 'cannot be written' err
}
