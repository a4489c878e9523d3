#!/usr/bin/env bash
# check.sh: builds this package and runs it with few small pictures, some of them broken. Prints what failed, and at the end
# `N passed, N failed`. Says `left out: imagepipeline` if libjpeg or libpng is missing.
set -u
cd "$(dirname "$0")" || exit 1
unset CC # SwiftPM would take it for its own compiler; it needs clang
for library in jpeglib:libjpeg-dev png:libpng-dev; do
    if ! echo "#include <stdio.h>
#include <${library%%:*}.h>" | gcc -E - > /dev/null 2>&1; then
        echo "left out: imagepipeline (Debian package ${library##*:})"
        exit 0
    fi
done

work=$(mktemp -d "${TMPDIR:-/tmp}/check-imagepipeline-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
scratch=../../.build-imagepipeline passed=0 failed=0 status=0

expect() { # WHAT command...
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL imagepipeline: $what"
        sed 's/^/    /' "$work/out" "$work/err" | head -20
    fi
}

run() { # argument...
    status=0
    timeout -k 5 "${CHECK_PATIENCE:-120}" "$scratch/release/imagepipeline" "$@" > "$work/out" 2> "$work/err" || status=$?
}

"${SWIFT:-swift}" build -c release -j 2 --scratch-path "$scratch" > "$work/out" 2> "$work/err"
expect 'builds' [ $? -eq 0 ]
run --make "$work/in" --count 40 --megapixels 0.05
expect 'makes pictures' [ "$(find "$work/in" -name '*.jpg' | wc -l) $(find "$work/in" -name '*.png' | wc -l)" = '30 10' ]

run --out "$work/good" --width 2 --height 3 "$work/in"
expect 'exit status 0' [ "$status" -eq 0 ]
expect 'nothing on stderr: no bar without a terminal' [ ! -s "$work/err" ]
expect 'rows that were not on the screen when the list stopped are cancelled' grep -qE 'the list showed 12 rows and cancelled [1-9]' "$work/out"
expect 'a result for each picture' [ "$(find "$work/good/operations" -type f | wc -l)" -eq 40 ]
for other in operations foundation; do
    expect "$other: the bytes of the plain loop" diff -r "$work/good/loop" "$work/good/$other"
done
listed=$(find "$work/good/list" -type f | wc -l)
expect 'the list has its rows, and not many more' [ "$listed" -ge 12 -a "$listed" -lt 30 ]
expect 'the results are JPEG files' \
    [ "$(for file in "$work"/good/list/*; do head -c 2 "$file" | od -An -tx1; done | sort -u)" = ' ff d8' ]
expect 'the timeline has the row at the top of each stop' \
    [ "$(grep -oE '<title>write (0|12|24|36),' "$work/good/timeline.svg" | sort -u | wc -l)" -eq 4 ]
expect 'and what was cancelled at three of them' [ "$(grep -c '<title>cancelled: rows' "$work/good/timeline.svg")" -ge 3 ]
expect 'and when the list scrolled' grep -q '<title>the list scrolls: the queue is suspended' "$work/good/timeline.svg"
expect 'the timeline is as wide as the window, however long it took' grep -qE '^<svg [^>]*viewBox="0 0 1000 [0-9]+"' "$work/good/timeline.svg"
expect 'the timeline is XML' python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$work/good/timeline.svg"

# Broken ones: cut off, empty, of another kind, and with a byte that is wrong.
head -c 1500 "$work/in/picture-0000.jpg" > "$work/in/a-cut.jpg"
head -c 3000 "$work/in/picture-0003.png" > "$work/in/b-cut.png"
: > "$work/in/c-empty.jpg"
echo 'no picture' > "$work/in/d-text.png"
cp "$work/in/picture-0007.png" "$work/in/e-wrong.png"
printf 'XXXXXXXX' | dd of="$work/in/e-wrong.png" bs=1 seek=1000 conv=notrunc status=none
mkdir "$work/in/f-folder.jpg"
for width in 1 4; do
    run --out "$work/broken$width" --width "$width" --height 3 "$work/in"
    expect 'exit status 1: some are broken' [ "$status" -eq 1 ]
    expect 'names each of them' [ "$(grep -cE '^imagepipeline: [a-f]-.*: .*; skipped$' "$work/err")" -eq 6 ]
    expect 'and nothing else' [ "$(wc -l < "$work/err")" -eq 6 ]
    expect 'its own check held' grep -q '^check: the same bytes' "$work/out"
    expect 'the others have results, the same ones' diff -r "$work/good/operations" "$work/broken$width/operations"
done
run "$work/none"
expect 'a folder that does not exist is an error' [ "$status" -eq 1 ]
run --filters blue
expect 'an unknown filter is an error' [ "$status" -eq 2 ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
