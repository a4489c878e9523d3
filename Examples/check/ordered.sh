# ordered.sh: checks the ordered queues.

# How many of the rounds with plain tasks come in order is chance; with a queue it is all of them.
check_ordered() { # program
    run "$1" --rounds 20
    has_status 0
    expect 'a FIFOQueue ends each before the next' says 'FIFOQueue    [A A] [B B] [C C]' out
    expect 'an ActorQueue lets them interleave' says 'ActorQueue   [A [B [C C] B] A]' out
    for queue in FIFOQueue ActorQueue MainActor; do
        expect "$queue kept the order in every round" grep -qE "^  $queue +20\$" out
    done
    run "$1" --help
    has_status 0
    for arguments in '--rounds' '--rounds 0' '--numbers x' '--nonsense 1' 'a'; do
        run "$1" $arguments
        expect "$arguments: exit status 2, not $status" [ "$status" -eq 2 ]
    done
}
