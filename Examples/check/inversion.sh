# inversion.sh: checks the programs with an inverted priority.

# Which thread runs the backlog; the times are not checked.
check_inversion_c() { # program
    for _ in 1 2 3; do
        run "$1"
        has_status 0
        expect 'without helps the pool runs all' eval "grep -qE '^without helps: the sync took [0-9]+ ms; the pool ran 12 tasks, the caller 0$' out"
        expect 'with helps the caller runs some' eval "grep -qE '^with helps: .* the pool ran ([1-9]|1[01]) tasks, the caller ([1-9]|1[01])$' out"
        expect 'both pictures' [ "$(grep -c '^    caller     |' out)" -eq 2 ]
    done
}

# The same next to DispatchQueue; the program starts on one processor.
check_inversion_swift() { # program
    local processor
    processor=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
    for _ in 1 2 3; do
        run taskset -c "$processor" "$1"
        has_status 0
        expect 'without helps the caller runs none' [ "$(grep -cE '^(DispatchQueue|SerialQueue)\(.* ms; the caller ran 0 of 24$' out)" -eq 2 ]
        expect 'with helps the caller runs some' grep -qE '^SerialQueue\(.*helps: true\): .* ms; the caller ran ([1-9]|1[0-9]|2[0-3]) of 24$' out
        expect 'three pictures' [ "$(grep -c '^    caller     |' out)" -eq 3 ]
    done
    run "$1" nonsense
    has_status 2
}
