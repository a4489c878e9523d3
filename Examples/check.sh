#!/usr/bin/env bash
# check.sh: runs the example programs as a user would, and as a user should not. Builds nothing.
#
#     Examples/check.sh NAME-LANGUAGE=PROGRAM ...        wordcount-c=build/examples/wordcount order-swift=...
#
# CHECK_MB is the size of the large text (else 8), CHECK_PATIENCE the seconds after which a program counts as hung (else
# 120). Prints what failed, and at the end `N passed, N failed`.
#
# This file has what all checks use: `run`, `expect` and what can be expected, and the input files. check/ has the checks, a file per
# example: check_NAME_LANGUAGE, or check_NAME if both languages are checked alike, gets the path of the program.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -eq 0 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi

# Users without any right must be able to reach the folder and what is in it: the test of an unreadable file is theirs.
work=$(mktemp -d "${TMPDIR:-/tmp}/check-examples-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
passed=0 failed=0 name='' status=0
patience=${CHECK_PATIENCE:-120} # seconds until a program counts as hung
for checks in "$here"/check/*.sh; do
    . "$checks"
done

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

# Starts a program that prints its port, as $server, and waits for that line; its output is in served, the port in $port.
serve() { # program
    rm -f served # another server's: the new one may be created only after the first look
    timeout -k 5 "$patience" "$1" >served 2>err &
    server=$!
    until grep -q '^port' served 2>/dev/null || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
    port=$(sed -n 's/^port //p' served)
}

says() { grep -qF -- "$1" "$2"; } # text file
is_empty() { [ ! -s "$1" ]; }
same() { cmp -s "$1" "$2"; }
has_status() { expect "exit status $1, not $status" [ "$status" -eq "$1" ]; }

# The input files; those of the word counters are also used by others.
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
    check=${check//-/_}
    ! declare -F "${check}_${name##*-}" >/dev/null || check=${check}_${name##*-}
    "$check" "${program_of[$name]}"
done
name='the word counters'
[ -z "${program_of[wordcount-swift]-}" ] || [ -z "${program_of[wordcount-c]-}" ] ||
    check_twins "${program_of[wordcount-swift]}" "${program_of[wordcount-c]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
