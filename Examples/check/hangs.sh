# hangs.sh: checks that each way to hang is reported.

# The scenes have the same names in both, except one; the library's messages are the same.
check_hangs() { # program SCENES
    run "$1"
    has_status 0
    expect "$2 scenes are listed" [ "$(grep -cE '^[a-z-]+  ' out)" -eq "$2" ]
    run "$1" all
    has_status 0
    tr -s ' \n' ' ' <out >joined
    expect 'a sync onto its own queue is reported' says 'sync onto queue "com.example.store" from its own task' joined
    expect 'a deadlock names both queues' says 'queue "com.example.giro" and waits for queue "com.example.savings"' joined
    expect 'a sync in a destructor is reported' says 'sync onto queue "com.example.connection" from its own task' joined
    expect 'a forgotten resume is reported' says 'queue "com.example.upload": 1 waiting for' joined
    expect 'what waits is discarded' says 'shut it down: discarded 1' joined
    expect 'nothing runs that was discarded' eval "! grep -q 'never said' out"
    run "$1" impatient-sync
    has_status 0
    expect 'one scene alone' [ "$(grep -cE '^[a-z-]+: ' out)" -eq 1 ]
    run "$1" --help
    has_status 0
    run "$1" nonsense
    has_status 2
    "$1" >/dev/full 2>err
    expect 'a full disk is reported' says 'cannot be written' err
}

# Eleven more, with groups, items and onces. In each one wait is refused, and the report names it.
many_hangs() {
    cat <<'END'
own-member sq_group_wait waits for group "saves", which has a task in queue "com.example.store"
member-waits sq_group_wait waits for group "saves", which has a task in queue "com.example.store"
member-syncs sq_ waits for group "saves", which has a task in queue "com.example.log"
two-groups sq_group_wait waits for group "loads", which has a task in queue "com.example.store"
late-member sq_group_wait waits for group "saves", which has a task in queue "com.example.store"
behind-barrier sq_group_wait waits for group "saves", which has a task in queue "com.example.cache"
item-itself sq_item_wait waits for item "com.example.index", which is in queue "com.example.store"
item-behind sq_item_wait waits for item "com.example.index", which is in queue "com.example.store"
once-itself sq_once from inside its own function
once-cycle sq_once is inside the function of once
once-queue sq_ is inside the function of once
END
}

check_many_hang() { # program SCENE WORDS
    run "$1" "$2"
    has_status 0
    tr -s ' \n' ' ' <out >joined
    expect "$2: it says $3" says "$3" joined
}

check_hangs_c() { # program
    check_hangs "$1" 16
    while read -r scene call words; do
        check_many_hang "$1" "$scene" "$words"
        expect "$scene: one wait is refused" [ "$(grep -c "$call.*: Resource deadlock avoided" out)" -eq 1 ]
        expect "$scene: what libdispatch does" says 'libdispatch: ' joined
    done < <(many_hangs)
}

check_hangs_swift() { # program
    check_hangs "$1" 16
    while read -r scene _ words; do
        check_many_hang "$1" "$scene" "$words"
    done < <(many_hangs)
    run "$1" --gcd --limit 2 all
    has_status 0
    expect 'DispatchQueue says nothing' [ "$(grep -cE '^ +DispatchQueue +says +nothing$' out)" -eq 15 ]
    for arguments in '--limit' '--limit 0' '--limit x' '--child' '--child x'; do
        run "$1" $arguments
        expect "$arguments: exit status 2, not $status" [ "$status" -eq 2 ]
    done
}
