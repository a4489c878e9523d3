# cache.sh: checks the caches on concurrent queues.

# How fast each one is depends on the machine; what they read does not.
check_cache() { # program
    run "$1" --threads 3 --reads 20000
    has_status 0
    expect 'three caches' [ "$(grep -cE ' million reads/s, +[0-9.]+ % hits, [0-9]+ insertions$' out)" -eq 3 ]
    expect 'a cache that is read more than changed' eval "awk '/ hits, / { for (i = 1; i <= NF; i++) if (\$(i + 1) == \"%\" && \$i < 80) exit 1 }' out"
    expect 'the check' says 'check     every read found its own page, and no cache held more than it may' out
    run "$1" --reads 1 --threads 1
    has_status 0
    expect 'one read is one miss' [ "$(grep -cE ' 0\.0 % hits, 1 insertions$' out)" -eq 3 ]
    run "$1" --help
    has_status 0
    for arguments in '--threads' '--threads 0' '--threads 257' '--reads x' '--nonsense 1' 'a'; do
        run "$1" $arguments
        expect "$arguments: exit status 2, not $status" [ "$status" -eq 2 ]
    done
    "$1" --reads 10 >/dev/full 2>err
    expect 'a full disk is reported' says 'cannot be written' err
}
