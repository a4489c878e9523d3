# fanin.sh: checks the program that counts primes in pieces.

# Counted by other means. Interrupted, it says how far it came.
check_fanin() { # program
    run "$1" 3
    has_status 0
    expect 'the primes below 300,000' says "$(seq 0 299999 | factor | awk 'NF == 2' | wc -l) primes in 3 of 3 pieces" out
    run "$1" 40
    has_status 0
    expect 'no more than four at a time' eval "grep -qE ' 40 of 40 pieces, at most [1-4] at a time$' out"
    expect 'no bar where there is no terminal' is_empty err
    timeout -k 5 "$patience" "$1" 20000 >out 2>err &
    until grep -q . "/proc/$!/task/$!/children" 2>/dev/null; do sleep 0.05; done
    sleep 0.5
    kill -INT "$(<"/proc/$!/task/$!/children")"
    status=0
    wait $! || status=$?
    has_status 130
    expect 'an interrupt cancels the rest' eval "grep -qE ' of 20000 pieces, at most [1-4] at a time, cancelled$' out"
    for arguments in 0 20001 -1 x '1 2'; do
        run "$1" $arguments
        expect "$arguments: exit status 2, not $status" [ "$status" -eq 2 ]
    done
    run "$1" --help
    has_status 0
    "$1" 1 >/dev/full 2>err
    expect 'a full disk is reported' says 'cannot be written' err
}
