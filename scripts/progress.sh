# progress.sh: what scripts/check says about parts that run. To be sourced. A part that runs has a file build/check/PID.PART.running with the
# time at which it began, where PID is of scripts/check; one that has run has a file build/check/PART.took with its seconds.

running() { echo "build/check/$$.$1.running"; } # PART

took() { cat "build/check/$1.took" 2> /dev/null; } # PART

part_begins() { date +%s > "$(running "$1")"; } # PART

part_ends() { # PART
    echo $(($(date +%s) - $(cat "$(running "$1")"))) > "build/check/$1.took"
    rm -f "$(running "$1")"
}

# On a terminal the progress is one line, which is written over.
if [ -t 1 ]; then clear_line() { printf '\r\033[K'; }; else clear_line() { :; }; fi

say() { # text
    clear_line
    printf '%s\n' "$1"
}

say_plan() { # PART...
    local part sum=0 unknown=0
    for part in "$@"; do
        if [ -s "build/check/$part.took" ]; then sum=$((sum + $(took "$part"))); else unknown=$((unknown + 1)); fi
    done
    if [ $unknown -lt $# ]; then
        say "== $# parts; last time they took $sum s, one after the other$([ $unknown -eq 0 ] || echo "; $unknown of them are not known yet")"
    else
        say "== $# parts; how long they take is not known yet"
    fi
}

say_begin() { # PART
    local last
    last=$(took "$1")
    say "== $1 begins at $(date +%H:%M:%S)${last:+; it took $last s last time}"
}

# Where a part's builds and programs write: the last line of the newest one says what it does.
logs_of() { # PART
    case $1 in
    c) set -- "$1" build/*-release/tests/logs/build ;;
    c-clang) set -- "$1" build/clang-debug-posix/tests/logs/build ;;
    c-posix) set -- "$1" build/gcc-release-posix/tests/logs/build ;;
    amalgamation) set -- "$1" build/gcc-release-amalgamation/tests/logs/build ;;
    c-musl) set -- "$1" build/musl-gcc-release/tests/logs/build ;;
    c-aarch64 | c-riscv64 | c-s390x) set -- "$1" build/"${1#c-}"-*-release/tests/logs/build ;;
    c-*) set -- "$1" "build/gcc-${1#c-}/tests/logs/build" ;;
    swift) set -- "$1" build/check/swift.build.log ;;
    swift-*) set -- "$1" "build/check/swift.build-${1#swift-}.log" ;;
    documents) set -- "$1" build/snippets/*.log build/snippets/fragments/log ;;
    examples*) set -- "$1" "build/check/$1"*.log build/check/imagepipeline.log ;;
    package) set -- "$1" .build-consumer/run.log ;;
    esac
    # Older than the part: the log of an earlier run.
    find "build/check/$1.out" "${@:2}" -newer "$(running "$1")" -printf '%T@ %p\n' 2> /dev/null | sort -n | tail -n 1 | cut -d ' ' -f 2-
}

# "swift 95 s of about 300: [12/140] Compiling ring.c"
describe() { # PART
    local began log last doing=
    began=$(cat "$(running "$1")" 2> /dev/null) || return
    last=$(took "$1")
    log=$(logs_of "$1")
    [ -z "$log" ] || doing=$(tail -c 2000 "$log" | tr '\r' '\n' | grep -v '^ *$' | tail -n 1 | cut -c 1-"${WIDTH:-70}")
    case $doing in
    *'Another instance of SwiftPM'*) doing="waits for another SwiftPM $(grep -oE '\(PID: [0-9]+\)' <<< "$doing" | tail -n 1) to end" ;;
    esac
    printf '%s' "$1 $(($(date +%s) - began)) s${last:+ of about $last}${doing:+: $doing}"
}

# Until it is killed.
tick() {
    local file part line text every=30 sleeper=
    [ ! -t 1 ] || every=1
    # What is left of the sleep would keep a pipe open.
    trap '[ -z "$sleeper" ] || kill "$sleeper"; exit' TERM
    while true; do
        sleep $every &
        sleeper=$!
        wait "$sleeper"
        line=
        for file in build/check/$$.*.running; do
            [ -e "$file" ] || continue
            part=$(basename "$file" .running)
            text=$(describe "${part#*.}")
            if [ -t 1 ]; then line+=${line:+ | }$text; else line+="   $text"$'\n'; fi
        done
        if [ -t 1 ]; then
            line=${line:0:$(($(tput cols 2> /dev/null || echo 80) - 1))}
            printf '\r\033[K%s' "$line"
        else
            printf '%s' "$line"
        fi
    done
}
