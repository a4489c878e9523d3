#!/usr/bin/env bash
# check.sh: the example programs, used as a user would and as a user should not. Builds nothing.
#
#     Examples/check.sh NAME-LANGUAGE=PROGRAM ...        wordcount-c=build/examples/wordcount order-swift=...
#
# CHECK_MB is the size of the large text (else 8), CHECK_PATIENCE the seconds after which a program counts as hung (else
# 120). Prints what failed, and at the end `N passed, N failed`.
# Counts of words are compared with `tr | sort | uniq -c`.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -eq 0 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi

# Users without any right must be able to reach the folder and what is in it: the test of an unreadable file is theirs.
work=$(mktemp -d "${TMPDIR:-/tmp}/check-examples-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
passed=0 failed=0 name='' status=0
patience=${CHECK_PATIENCE:-120} # seconds until a program counts as hung

fail() { # sentence...
    failed=$((failed + 1))
    echo "FAIL $name: $*"
    { sed 's/^/    stdout: /' out | head -4; sed 's/^/    stderr: /' err | head -5; } 2>/dev/null
}

# expect WHAT command...: passes if the command succeeds.
expect() {
    local what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else fail "$what"; fi
}

# run command...: its output is in out and err then, its exit status in $status.
run() {
    status=0
    timeout -k 5 "$patience" "$@" >out 2>err || status=$?
}

# A program that failed may never open the pipe.
feed_pipe() { timeout "$patience" bash -c 'cat large.txt >pipe'; }

says() { grep -qF -- "$1" "$2"; } # text file
is_empty() { [ ! -s "$1" ]; }
same() { cmp -s "$1" "$2"; }
has_status() { expect "exit status $1, not $status" [ "$status" -eq "$1" ]; }

# The words of stdin, most frequent first, as `COUNT WORD`: the same definition of a word by other means.
count_words() {
    tr -c 'A-Za-z0-9\200-\377' '\n' | tr 'A-Z' 'a-z' | cut -b1-255 | sed '/^$/d' | sort | uniq -c |
        sed 's/^ *//' | sort -t ' ' -k1,1nr -k2,2
}

# The same lines from the program's output.
listed_words() { sed '/^words /,$d; /^$/d; s/^ *//; s/  / /' "$1"; }

# counts_right WHAT file...: the whole list of the last run is the independent count of the files.
counts_right() {
    local what=$1
    shift
    for file in "$@"; do cat "$file" && echo; done | count_words >expected # echo: no word runs on in the next file
    listed_words out >listed
    if same listed expected; then
        passed=$((passed + 1))
    else
        fail "$what: the counts are wrong (< independent, > program)"
        diff expected listed | head -6
    fi
    expect "$what: it says that its own check held" says 'the single-threaded count is the same' out
}

make_inputs() {
    local megabytes=${CHECK_MB:-8}
    printf 'The cat and THE dog; the end' >good.txt
    : >empty.txt
    mkdir -p folder
    cat /usr/share/common-licenses/* >seed.txt 2>/dev/null || seq 1 20000 >seed.txt
    while cat seed.txt; do :; done 2>/dev/null | head -c "$((megabytes * 1000000))" >large.txt # head closes the pipe
    head -c 3000000 /dev/zero | tr '\0' 'x' >one-word.txt
    # Words that end before, at and behind the 256 KiB where the readers cut, and one that runs over a whole piece.
    for length in 262140 262143 262144 262145 262400 524288 600000; do
        head -c "$length" seed.txt
        head -c "$length" /dev/zero | tr '\0' 'Q'
        printf ' a'
    done >borders.txt
    printf 'one\0two\0\0one\001two\377\376 caf\303\251 \302\233 caf\303\251' >bytes.txt
    head -c 3000000 /dev/urandom >random.bin
    printf 'x y\n' >"latin1-$(printf '\351').txt"
    printf 'dash dash\n' >--top
    mkfifo pipe silent
}

wordcount_counts() { # program
    run "$1" --top 1000000000
    has_status 0
    expect 'without arguments: nothing on stderr' is_empty err
    counts_right 'without arguments' $(find /usr/share/common-licenses -type f)
    for readers in 1 2 3 16; do
        run "$1" --readers "$readers" --top=1000000000 large.txt borders.txt good.txt
        has_status 0
        counts_right "$readers readers" large.txt borders.txt good.txt
    done
    run "$1" --top 1000000000 one-word.txt
    counts_right 'one giant word' one-word.txt
    run "$1" --top 3 large.txt
    expect '--top 3 lists three words' [ "$(listed_words out | wc -l)" -eq 3 ]
    run "$1" --top 0 large.txt
    expect '--top 0 lists none' [ "$(listed_words out | wc -l)" -eq 0 ]
    for file in bytes.txt random.bin; do
        run "$1" "$file"
        has_status 0
        count_words <"$file" >expected
        total=$(awk '{ n += $1 } END { print n + 0 }' expected)
        expect "$file: how many words" says "words     $total, $(wc -l <expected) different" out
        expect "$file: prints no control character" eval "! tr -d '\n' <out | grep -q '[[:cntrl:]]'"
    done
    run "$1" bytes.txt
    expect 'UTF-8 stays as it is' says "$(printf '        2  caf\303\251')" out
    expect 'what is no UTF-8 is escaped' says '1  two\xff\xfe' out
    expect 'a control character in UTF-8 is escaped' says '1  \xc2\x9b' out
}

wordcount_bad_files() { # program
    run "$1" missing.txt folder good.txt empty.txt /dev/null
    has_status 1
    expect 'names a missing file' says 'wordcount: missing.txt: No such file or directory' err
    expect 'names a directory' says 'wordcount: folder: is a directory' err
    expect 'names an empty file' says 'wordcount: empty.txt: is empty' err
    expect 'names a device' says 'wordcount: /dev/null: is a device' err
    expect 'one line for each' [ "$(wc -l <err)" -eq 4 ]
    expect 'still counts the good one' says '        3  the' out
    expect 'says how many files' says 'in 1 of 5 files' out
    run "$1" missing.txt folder
    has_status 1
    expect 'that no file can be counted is reported' says 'wordcount: none of the files could be counted' err
    expect 'and there are no results' is_empty out
    run "$1" /proc/self/mem good.txt
    has_status 1
    expect 'names a file that cannot be read' says 'wordcount: /proc/self/mem: Input/output error' err
    run "$1" "latin1-$(printf '\351').txt"
    has_status 0
    run "$1" -- --top
    has_status 0
    expect 'after -- everything is a file' says '2  dash' out

    cp good.txt secret.txt
    chmod 000 secret.txt
    local drop=()
    [ "$(id -u)" -ne 0 ] || drop=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    cp "$1" program && chmod 755 program
    run "${drop[@]}" ./program secret.txt good.txt
    has_status 1
    expect 'names an unreadable file' says 'wordcount: secret.txt: Permission denied' err
    expect 'still counts the readable one' says '        3  the' out
    rm -f secret.txt program
}

wordcount_streams() { # program
    run "$1" --top 1000000000 - <large.txt
    has_status 0
    counts_right 'standard input' large.txt
    cat large.txt | run "$1" --top 1000000000 -
    counts_right 'standard input, a pipe' large.txt
    feed_pipe &
    run "$1" --top 1000000000 good.txt pipe
    wait $!
    counts_right 'a named pipe' large.txt good.txt
    run "$1" --top 1000 /proc/self/status
    has_status 0
    expect 'a file without a size is counted' says '  vmpeak' out
    run env TMPDIR=/nonexistent "$1" - good.txt <large.txt
    has_status 1
    expect 'no room for the copy of a pipe' says 'wordcount: -: its temporary copy cannot be made: No such file' err
    expect 'and the file is counted' says '        3  the' out
    run "$1" - </dev/null
    has_status 1
    expect 'empty input' says 'wordcount: -: is empty' err
}

wordcount_output() { # program
    run "$1" large.txt
    expect 'into a pipe: no bar, no message' is_empty err
    status=0
    "$1" large.txt >/dev/full 2>err || status=$?
    has_status 1
    expect 'a full disk is reported' says 'cannot be written' err
    "$1" --top 1000000 large.txt 2>err | head -1 >out
    expect 'a closed pipe is no error message' is_empty err
    # A pipe without a writer keeps a reader forever: the program must still end at Ctrl-C.
    status=0
    timeout -k 5 --preserve-status -s INT 1 env --default-signal=INT "$1" silent good.txt >out 2>err || status=$?
    has_status 130
}

# What stderr gets on a terminal of so many columns, one line for each time the bar was drawn.
on_terminal() { # columns, command...
    local columns=$1
    shift
    (sleep 1.5; feed_pipe) &
    local shell="stty cols $columns; TERM=${TERMINAL-xterm} $(printf '%q ' "$@") pipe >out"
    timeout -k 5 "$patience" script -qec "$shell" /dev/null </dev/null | tr '\r' '\n' >drawn
    echo >>drawn
    wait $!
}

wordcount_bar() { # program
    if ! command -v script >/dev/null; then
        echo "note $name: no script(1), the progress bar was not tried"
        return
    fi
    for columns in 12 40 100; do
        on_terminal "$columns" "$1" large.txt
        sed 's/\x1b\[K//g' drawn >plain
        expect "a bar is drawn in $columns columns" grep -q '^counting' plain
        expect "no line has $columns columns" eval "! grep -qE '^.{$columns}' plain"
        expect "the bar is cleared in the end" [ -z "$(tail -1 plain)" ]
        expect 'nothing of it is on stdout' eval "! grep -q \$'\x1b' out"
    done
    expect 'a wide terminal has cells and figures' \
        grep -qE '^counting \[#+-*\] +[0-9]+ %  [0-9.]+ MB  [0-9.]+ M words' plain
    TERMINAL=dumb on_terminal 80 "$1" large.txt
    expect 'a terminal that cannot go back gets no bar' [ -z "$(cat drawn)" ]
}

wordcount_usage() { # program
    run "$1" --help
    has_status 0
    expect '--help prints the usage' says 'Usage: wordcount' out
    for arguments in '--readers 0' '--readers 257' '--readers' '--readers=' '--readers 2x' '--top -1' '--top +3' \
        '--top 99999999999999999999' '--nothing' '-n' '--topx=3'; do
        run "$1" $arguments
        expect "$arguments: exit status 2, not $status" [ "$status" -eq 2 ]
        expect "$arguments: a hint" says 'Try wordcount --help.' err
        expect "$arguments: no results" is_empty out
    done
}

check_wordcount() { # program
    wordcount_counts "$1"
    wordcount_bad_files "$1"
    wordcount_streams "$1"
    wordcount_output "$1"
    wordcount_bar "$1"
    wordcount_usage "$1"
}

# The twins print the same list for the same files, in the same order.
check_twins() { # program, program
    for file in large.txt borders.txt bytes.txt random.bin; do
        "$1" --top 1000000000 "$file" 2>&1 | listed_words - >first
        "$2" --top 1000000000 "$file" 2>&1 | listed_words - >second
        expect "the twins agree on $file" same first second
    done
}

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
        # Which of them are done before it submits 3 is the machine's affair.
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
    expect 'what waits is discarded' says 'gave up: discarded 1' joined
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

# What the article about it finds: a convoy, a long closure, a forgotten resume.
check_slow() { # program
    local tool
    tool=$(realpath "$here/../Tools/sq-trace")
    SQ_TRACE=slow.trace run "$1" --dump
    has_status 0
    expect 'ten mails are not sent' says '10 mails were not sent' out
    expect 'the dump finds the suspended queue' says 'queue "mail": suspended 1 times, 10 waiting' err
    run "$tool" stats slow.trace
    has_status 0
    expect 'the trace finds what never started' says 'mail: 10 tasks were submitted and had not started' out
    # In columns 3 and 6, in nanoseconds: the p50 of waiting and of running; in 8 the longest run.
    "$tool" stats slow.trace | awk '
        function ns(value, unit) { return value * (unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1) }
        $1 == "inventory" { convoy = ns($3, $4) > 3 * ns($9, $10) }
        $1 == "images" { long = ns($13, $14) > 100 * ns($9, $10) }
        END { print convoy + 0, long + 0 }' > found
    expect 'the trace finds the convoy and the long closure' says '1 1' found
    run "$tool" timeline slow.trace
    has_status 0
    run "$1" nonsense
    has_status 2
}
check_slow_swift() { check_slow "$1"; }

# Ten more, with groups, items and onces. In each one wait is refused, and the report names it.
many_hangs() {
    cat <<'END'
own-member sq_group_wait waits for group "saves", which has a task in queue "com.example.store"
member-waits sq_group_wait waits for group "saves", which has a task in queue "com.example.store"
member-syncs sq_ waits for group "saves", which has a task in queue "com.example.log"
two-groups sq_group_wait waits for group "loads", which has a task in queue "com.example.store"
late-member sq_group_wait waits for group "saves", which has a task in queue "com.example.store"
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
    check_hangs "$1" 15
    while read -r scene call words; do
        check_many_hang "$1" "$scene" "$words"
        expect "$scene: one wait is refused" [ "$(grep -c "$call.*: Resource deadlock avoided" out)" -eq 1 ]
        expect "$scene: what libdispatch does" says 'libdispatch: ' joined
    done < <(many_hangs)
}

check_hangs_swift() { # program
    check_hangs "$1" 15
    while read -r scene _ words; do
        check_many_hang "$1" "$scene" "$words"
    done < <(many_hangs)
    run "$1" --gcd --limit 2 all
    has_status 0
    expect 'DispatchQueue says nothing' [ "$(grep -cE '^ +DispatchQueue +says +nothing$' out)" -eq 14 ]
    for arguments in '--limit' '--limit 0' '--limit x' '--child' '--child x'; do
        run "$1" $arguments
        expect "$arguments: exit status 2, not $status" [ "$status" -eq 2 ]
    done
}

# The program compares what the rooms received with what was sent.
check_chatrooms() { # program
    run "$1" --rooms 20000 --messages 200000 large.txt
    has_status 0
    expect 'every message is received' says 'every message was received once' out
    expect 'the rooms are counted' says 'rooms     20000,' out
    expect 'at most 64 threads besides the authors, main and the alarms' [ "$(awk '/^threads/ { print $2 }' out)" -le 70 ]
    run "$1" --rooms 1 --authors 1 --messages 10
    has_status 0
    run "$1" --help
    has_status 0
    run "$1" missing.txt
    has_status 1
    expect 'a missing file is reported' says 'missing.txt: there is no such file' err
    : >empty.txt
    run "$1" empty.txt
    has_status 1
    for arguments in '--rooms' '--rooms 0' '--authors x' '--messages -1' '--nonsense' 'a b'; do
        run "$1" $arguments
        expect "$arguments: exit status 2, not $status" [ "$status" -eq 2 ]
    done
}

# The program compares the auction's end with what the bids make it.
check_distributed() { # program
    run "$1"
    has_status 0
    expect 'the highest bid wins' says 'winner    bidder 1, 999577' out
    expect 'the error that an actor throws comes back' says 'refused   notPositive(0)' out
    expect 'every bid ran on the queue' [ "$(sed -n 's/^queue .* ran //p' out)" -ge 4000 ]
    expect 'it says that its check held' says 'check     the highest bid has won' out
}

# How fast each is is the machine's affair; what they read is not.
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

# Without arguments its clock is a manual pool's: it always says the same.
check_autosave() { # program
    run "$1"
    has_status 0
    expect 'an hour of saves' says '1800 keystrokes, 361 saves, 60 minutes, 0 unsaved' out
}

# The tape of the report repeats the failure, and does not fit the other version.
check_transfers() { # program
    run "$1"
    has_status 1
    expect 'the failure names the line' says 'money is lost or found' out
    expect 'the failure has a timeline' says 'calls Account 2' out
    expect 'the failure can be replayed' says "SQ_TAPE='bank/" out
    tape=$(sed -n "s/.*SQ_TAPE='\(.*\)'/\1/p" out)
    SQ_TAPE=$tape run "$1"
    has_status 1
    expect 'the tape repeats the failure' says 'replayed' out
    run "$1" --careful
    has_status 0
    expect 'the fixed bank passes' says 'passed: 1000 schedules' out
}

check_bank() { # program
    run "$1"
    has_status 0
    expect 'the careless version fails' says 'careless failed: savings.balance >= 0' out
    expect 'the report says what matters' says 'the test passes.' out
    expect 'the careful version has no other schedule' says 'schedules: there are no others' out
    tape=$(sed -n "s/.*SQ_TAPE='\(.*\)'/\1/p" out)
    SQ_TAPE=$tape run "$1" careless
    has_status 1
    expect 'the tape repeats the failure' says 'careless failed: savings.balance >= 0' out
    SQ_TAPE=$tape run "$1" careful
    has_status 0
    expect 'a tape of another test has no effect, and a line says so' says 'SQ_TAPE is of the test "careless", and has no effect on others' err
    run "$1" careful
    has_status 0
    run "$1" nonsense
    has_status 2
}

# What ran, what did not, and the two refusals.
check_breakfast() { # program
    run "$1"
    has_status 0
    expect 'what succeeded' says 'on the table: 4 slices of toast' out
    expect 'what depends on a failure' says 'on the table: nothing (Burnt())' out
    expect 'the cycle' says 'A cycle of operations: "knife" depends on "butter" depends on "knife".' out
    expect 'the deadlock' says 'operation "stir" waits for operation "salt"; queue "cook" of width 1 is full with "stir"' out
}

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

# The host's callbacks and the tasks of the main queue are on one thread: the program itself checks that.
check_loop() { # program HOST
    for _ in 1 2 3; do
        run "$1"
        has_status 0
        expect 'the primes below 240,000' says "$(seq 0 239999 | factor | awk 'NF == 2' | wc -l) primes in 12 results" out
        expect 'both timers' says "$2: " out
        expect 'all on the main thread' says "host's timer fired, queue's timer fired, 0 not on the main thread" out
    done
}

# A client of the server: sends numbers, and wants one answer for each, in their order.
ask() { # PORT FROM: 50 numbers
    local number answer
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    seq "$2" $(($2 + 49)) >&3
    for number in $(seq "$2" $(($2 + 49))); do
        read -r -t "$patience" answer <&3 || return 1
        case $answer in "$number is "*) ;; *) return 1 ;; esac
        case $(factor "$number" | wc -w),$answer in 2,*' is prime;'*) ;; 2,*) return 1 ;; *' is prime;'*) return 1 ;; esac
    done
    exec 3>&-
}

check_loop_server() { # program
    timeout -k 5 "$patience" "$1" >served 2>err &
    local server=$! port clients=() client
    until grep -q '^port' served 2>/dev/null || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
    port=$(sed -n 's/^port //p' served)
    for client in $(seq 0 9); do
        (ask "$port" $((2 + 50 * client))) &
        clients+=($!)
    done
    for client in "${clients[@]}"; do
        expect 'a client gets its answers in order' wait "$client"
    done
    (exec 3<>"/dev/tcp/127.0.0.1/$port" && echo stop >&3)
    status=0
    wait $server || status=$?
    cp served out
    has_status 0
    expect 'no request is lost or counted twice' says "500 requests, $(seq 2 501 | factor | awk 'NF == 2' | wc -l) primes" out
}

declare -A program_of=()
names=()
for argument in "$@"; do
    names+=("${argument%%=*}")
    program_of[${argument%%=*}]=$(realpath -e "${argument#*=}") || exit 2
done
cd "$work" || exit 1
make_inputs
for name in "${names[@]}"; do
    check=check_${name%-*}
    case $name in
    hangs-*) check=check_hangs_${name#*-} ;;
    slow-*) check=check_slow_${name#*-} ;;
    inversion-*) check=check_inversion_${name#*-} ;;
    loop-server-*) check=check_loop_server ;;
    loop-*) check=check_loop ;;
    esac
    host=${name#loop-}
    "$check" "${program_of[$name]}" "${host%-*}"
done
name='the word counters'
[ -z "${program_of[wordcount-swift]-}" ] || [ -z "${program_of[wordcount-c]-}" ] ||
    check_twins "${program_of[wordcount-swift]}" "${program_of[wordcount-c]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
