# slow.sh: checks that trace and dump find why a program is slow.

# What the article about it finds: a convoy, a long closure, a forgotten resume.
check_slow() { # program
    local tool
    tool=$(realpath "$here/../Tools/sq-trace")
    SQ_TRACE=slow.trace run "$1" --dump
    has_status 0
    expect 'ten mails are not sent' says '10 mails were not sent' out
    expect 'the dump finds the suspended queue' says ': suspended 1 time, 10 waiting' err
    run "$tool" stats slow.trace
    has_status 0
    expect 'the trace finds what never started' says 'mail: 10 tasks wait, the oldest' out
    # Words 4 and 10 with their units: the p50 of waiting and of running; 14: the longest run.
    "$tool" stats slow.trace | awk '
        function ns(value, unit) { return value * (unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1) }
        $1 == "inventory" { convoy = ns($4, $5) > 3 * ns($10, $11) }
        $1 == "images" { long = ns($14, $15) > 100 * ns($10, $11) }
        END { print convoy + 0, long + 0 }' > found
    expect 'the trace finds the convoy and the long closure' says '1 1' found
    run "$tool" timeline slow.trace
    has_status 0
    run "$1" nonsense
    has_status 2
}
