#!/usr/bin/env bash
# check-snippets.sh [FILE...]: builds and runs the programs in the documents: README.md, Documentation/*.md and the articles of
# Sources, or the files given. Without FILE also compiles the examples that are not programs (check-fragments.sh),
# and runs `make docs`, where a broken link or a missing parameter is an error.
#
#     ```c run, ```cpp run, ```swift run      a whole program: it must end with 0
#     ```c dies, ```swift dies    it must end in any other way, within a minute
#     ```swift dies traced        the same, with the stack trace of Swift's runtime
#     ```text output              directly after one of them: what it prints, stdout and stderr together. A … stands for
#                                 anything. Without such a block nothing is compared.
#
# Warnings are errors. C is linked with the objects that `make lib` makes, Swift with the package by its path. Prints one line
# for each program and `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
shopt -s nullglob
work=$PWD/build/snippets
fragments=
[ $# -gt 0 ] || { fragments=yes; set -- README.md Documentation/*.md Documentation/Design/*.md Sources/*/*.docc/*.md; }
rm -rf "$work/programs" && mkdir -p "$work/programs" || exit 1
passed=0 failed=0

fail() { # name, why, file...
    failed=$((failed + 1))
    printf 'FAIL %s: %s\n' "$1" "$2"
    shift 2
    for file in "$@"; do [ ! -s "$file" ] || sed 's/^/    /' "$file"; done
}

# Each program to its own folder: programs/FILE_LINE/: source/main.swift, source/main.c or source/main.cpp, mode, expected.
awk -v out="$work/programs" '
    FNR == 1 { inside = ""; folder = "" }
    inside == "" && /^```(c|cpp|swift) (run|dies|dies traced)$/ {
        language = substr($1, 4)
        name = FILENAME; gsub(/[^A-Za-z0-9]+/, "_", name)
        folder = out "/" name "_" FNR
        system("mkdir -p " folder "/source")
        print substr($0, index($0, " ") + 1) > (folder "/mode")
        inside = folder "/source/main." language
        next
    }
    inside == "" && /^```text output$/ && folder != "" { inside = folder "/expected"; printf "" > inside; folder = ""; next }
    inside == "" && /^```/ { inside = "none"; folder = ""; next }
    inside != "" && /^```$/ { if (inside != "none") close(inside); inside = ""; next }
    inside == "" && NF { folder = "" }
    inside != "" && inside != "none" { print > inside }
' "$@" || exit 1

build_c() {
    [ -z "$(find "$work/programs" -name 'main.c*')" ] && return
    ${MAKE:-make} --no-print-directory CC="${CC:-gcc}" lib > "$work/lib.log" 2>&1 || { fail "make lib" "does not build" "$work/lib.log"; return; }
    for source in "$work"/programs/*/source/main.c; do
        folder=${source%/source/*}
        ${CC:-gcc} -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Wpedantic -Werror -pthread -ISources/CSerialQueue/include \
            -ISources/CSerialQueueTesting/include "$source" build/libserialqueue-testing.a build/libserialqueue.a -o "$folder/program" > "$folder/log" 2>&1
    done
    for source in "$work"/programs/*/source/main.cpp; do
        folder=${source%/source/*}
        g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -pthread -ISources/CSerialQueue/include "$source" build/libserialqueue.a \
            -o "$folder/program" > "$folder/log" 2>&1
    done
}

# One package with a target for each program, so that the library is built once.
build_swift() {
    [ -z "$(find "$work/programs" -name main.swift)" ] && return
    {
        printf '// swift-tools-version: 6.0\nimport PackageDescription\nlet package = Package(name: "Snippets",\n'
        printf '    dependencies: [.package(name: "SerialQueue", path: "../..")],\n    targets: [\n'
        for source in "$work"/programs/*/source/main.swift; do
            name=$(basename "${source%/source/*}")
            printf '        .executableTarget(name: "%s", dependencies: ["SerialQueue", .product(name: "SerialQueueOrdered", package: "SerialQueue"), .product(name: "SerialQueueOperations", package: "SerialQueue"), .product(name: "SerialQueueTesting", package: "SerialQueue"), .product(name: "SerialQueueDispatch", package: "SerialQueue"), .product(name: "SerialQueueDispatchTesting", package: "SerialQueue")], path: "programs/%s/source"),\n' "$name" "$name"
        done
        printf '    ], swiftLanguageModes: [.v6])\n'
    } > "$work/Package.swift"
    # Without CC: SwiftPM would take it for its own compiler, and needs clang.
    env -u CC ${SWIFT:-swift} build --package-path "$work" --scratch-path "$work/.build" --disable-index-store -j 2 > "$work/swift.log" 2>&1
    status=$?
    if [ $status -ne 0 ] || grep -qE 'programs/.*(warning|error):' "$work/swift.log"; then
        fail "swift build" "fails or warns" "$work/swift.log"
    fi
    for source in "$work"/programs/*/source/main.swift; do
        folder=${source%/source/*}
        [ $status -ne 0 ] || cp "$work/.build/debug/$(basename "$folder")" "$folder/program"
    done
}

# Is $1, a file, what $2 says? Blanks at the ends of lines and the end of the file do not count.
matches() {
    awk -v pattern="$2" '
        function slurp(file,    line, text) { while ((getline line < file) > 0) { sub(/[ \t]+$/, "", line); text = text line "\n" } sub(/\n+$/, "", text); return text }
        BEGIN {
            text = slurp(ARGV[1]); count = split(slurp(pattern), parts, "…")
            if (count == 0) exit text != ""
            if (index(text, parts[1]) != 1) exit 1
            text = substr(text, length(parts[1]) + 1)
            for (i = 2; i <= count; i += 1) {
                if (i == count && parts[i] == "") exit 0
                if (i == count) exit substr(text, length(text) - length(parts[i]) + 1) != parts[i]
                at = index(text, parts[i]); if (at == 0) exit 1
                text = substr(text, at + length(parts[i]))
            }
            exit text != ""
        }' "$1"
}

build_c
build_swift
for folder in "$work"/programs/*/; do
    folder=${folder%/}
    name=$(basename "$folder")
    mode=$(cat "$folder/mode")
    if [ ! -x "$folder/program" ]; then fail "$name" "does not build" "$folder/log"; continue; fi
    case $mode in *traced) traces=yes ;; *) traces=no ;; esac
    # A shell of its own, whose note of a crash goes nowhere.
    SWIFT_BACKTRACE=enable=$traces,color=no bash -c 'timeout -k 5 60 "$0" > "$1" 2>&1; exit $?' "$folder/program" "$folder/output" 2> /dev/null
    status=$?
    if [ "$mode" = run ] && [ $status -ne 0 ]; then
        fail "$name" "ended with $status" "$folder/output"
    elif [ "${mode% traced}" = dies ] && { [ $status -eq 0 ] || [ $status -eq 124 ]; }; then
        fail "$name" "did not die ($status)" "$folder/output"
    elif [ -e "$folder/expected" ] && ! matches "$folder/output" "$folder/expected"; then
        fail "$name" "prints something else" "$folder/output"
    else
        passed=$((passed + 1))
        echo "ok $name"
    fi
done
if [ -n "$fragments" ]; then
    rm -f "$work/fragments.tally"
    TALLY=$work/fragments.tally FRAGMENTS_MODULES=$work/.build/debug Documentation/check-fragments.sh
    more_passed=0 more_failed=1 # unless it says otherwise
    [ ! -s "$work/fragments.tally" ] || read -r more_passed more_failed < "$work/fragments.tally"
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
    if ${MAKE:-make} --no-print-directory docs DOCS_MODULES="$work/.build/debug" > "$work/docs.log" 2>&1; then
        passed=$((passed + 1))
        echo "ok make docs"
    else
        fail "make docs" "warns" "$work/docs.log"
    fi
fi
[ -z "${TALLY:-}" ] || echo "$passed $failed" > "$TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
