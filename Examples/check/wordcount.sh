# wordcount.sh: checks the word counters: counts, bad files, streams, output, the progress bar, options.

# A program that failed may never open the pipe.
feed_pipe() { timeout "$patience" bash -c 'cat large.txt >pipe'; }

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
