#!/usr/bin/env bash
# check-fragments.sh [FILE...]: compiles the Swift examples in the doc comments of Sources and in the articles of the
# catalogs, or in the files given. `check-snippets.sh` calls it.
#
#     ```swift                    compiles by itself, as the body of an async throwing function, with `import SerialQueue` in
#                                 front of it, and its own module; if a line begins with `extension` or `@main`, as a file
#     four blanks                 after an empty line of a doc comment: the same
#     <!-- given: CODE -->        a line directly above the block: what the block builds on, and no reader needs to see
#     ```swift nocompile: WHY     is not compiled, for the reason that it gives
#     ```swift run, swift dies    a whole program: see check-snippets.sh
#
# Errors and warnings fail it, except for variables that an example does not use. Prints a line for each block, and
# `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$PWD/build/snippets
target=$work/fragments/Sources/Fragments
if [ $# -eq 0 ]; then
    mapfile -t files < <(find Sources/SerialQueue Sources/Ordered Sources/Operations Sources/SerialQueueTesting \( -name '*.swift' -o -path '*.docc/*.md' \) | sort)
    set -- "${files[@]}"
fi
rm -rf "$work/fragments" && mkdir -p "$target" || exit 1

# Each block in a file of its own, with the source location of its lines. The index: FILE LINE, or FILE LINE WHY-NOT.
awk -v target="$target" '
    function finish(    body, name, module) {
        name = FILENAME; gsub(/[^A-Za-z0-9]+/, "_", name); name = name "_" start
        body = target "/" name ".swift"
        module = FILENAME ~ /\/Ordered\// ? "Ordered" : FILENAME ~ /\/Operations\// ? "Operations" : FILENAME ~ /\/SerialQueueTesting\// ? "Testing" : ""
        printf "import SerialQueue\n%s%s", module != "" ? "import SerialQueue" module "\n" : "", imports > body
        if (!whole) printf "func %s() async throws {\n", name > body
        printf "#sourceLocation(file: \"%s\", line: %d)\n%s", FILENAME, start - givens, given > body
        printf "#sourceLocation(file: \"%s\", line: %d)\n%s#sourceLocation()\n", FILENAME, start + 1, text > body
        if (!whole) print "}" > body
        close(body)
        print FILENAME "\t" start "\t\t" start - givens
    }
    FNR == 1 { inside = givens = 0; given = "" }
    {
        line = $0
        if (FILENAME ~ /\.swift$/ && !sub(/^[ \t]*\/\/\/ ?/, "", line)) {
            if (inside == 3) finish()
            inside = givens = 0; given = ""; before = "-"; next
        }
        opens = !inside && before == "" && line ~ /^    [^ ]/ && FILENAME ~ /\.swift$/
        closes = inside == 3 && line ~ /^ ? ? ?[^ ]/
        before = line
    }
    opens { inside = 3; start = FNR - 1; text = imports = ""; whole = 0 }
    closes { finish(); inside = givens = 0; given = "" }
    inside == 3 { sub(/^    /, "", line) }
    !inside && line ~ /^<!-- given: .* -->$/ { given = given substr(line, 13, length(line) - 16) "\n"; givens += 1; next }
    !inside && line ~ /^```swift nocompile/ {
        why = line; sub(/^```swift nocompile:? */, "", why)
        print FILENAME "\t" FNR "\t" (why == "" ? "gives no reason" : "not compiled: " why)
        inside = 2; next
    }
    !inside && line ~ /^```swift *$/ { inside = 1; start = FNR; text = imports = ""; whole = 0; next }
    !inside && line ~ /^```swift/ && line !~ /^```swift (run|dies|dies traced)$/ { print FILENAME "\t" FNR "\thas an unknown mode: " line }
    !inside && line ~ /^```./ { inside = 2; next }
    inside && inside != 3 && line ~ /^```$/ { if (inside == 1) finish(); inside = givens = 0; given = ""; next }
    inside == 1 || inside == 3 {
        if (line ~ /^(extension |@main)/) whole = 1
        if (line ~ /^import /) { imports = imports line "\n"; line = "" }
        text = text line "\n"
        next
    }
    !inside { givens = 0; given = "" }
' "$@" > "$work/fragments/index" || exit 1

# One module, of which nothing is kept: it compiles against the modules that check-snippets.sh has built, or builds them.
modules=${FRAGMENTS_MODULES:-}
if [ -z "$modules" ]; then
    modules=.build/debug
    for module in SerialQueueOrdered SerialQueueOperations SerialQueueDispatchTesting SerialQueueTesting; do scripts/swift-build -j 2 --target $module || exit 1; done
fi
# shellcheck disable=SC2046 # words are wanted
${SWIFT:-swift}c -swift-version 6 -module-name Fragments -parse-as-library -wmo -emit-sil -o /dev/null -module-cache-path "$work/cache" \
    $(scripts/module-flags "$modules") "$target"/*.swift > "$work/fragments/log" 2>&1
status=$?
# Of what is said about other files than those with the blocks, only what the compiler cannot place better.
grep -E '^([^/ ][^ ]*|.*/fragments/Sources/[^ ]*):[0-9]+:[0-9]+: (error|warning): ' "$work/fragments/log" |
    grep -vE 'was never (used|mutated|read)|result of .* is unused' | sort -u > "$work/fragments/said"

# What was said about a file belongs to the block that begins last before it.
awk -F '\t' '
    FILENAME == ARGV[1] { split($1, at, ":"); said[NR] = $1; file[NR] = at[1]; number[NR] = at[2]; count = NR; next }
    { blocks += 1; path[blocks] = $1; first[blocks] = $2 + 0; note[blocks] = $3; begins[blocks] = ($4 == "" ? $2 : $4) + 0 }
    END {
        for (i = 1; i <= count; i += 1) {
            block = 0
            for (j = 1; j <= blocks; j += 1)
                if (file[i] == path[j] && begins[j] <= number[i] && first[j] > first[block]) block = j
            wrong[block] = wrong[block] "    " said[i] "\n"
        }
        for (j = 1; j <= blocks; j += 1) {
            if (note[j] != "" && note[j] !~ /^not compiled/) wrong[j] = "    " note[j] "\n"
            if (j in wrong) { failed += 1; printf "FAIL %s:%d\n%s", path[j], first[j], wrong[j] }
            else { passed += 1; printf "ok %s:%d%s\n", path[j], first[j], note[j] == "" ? "" : " (" note[j] ")" }
        }
        if (0 in wrong) { failed += 1; printf "FAIL elsewhere\n%s", wrong[0] }
        printf "%d %d\n", passed, failed > "/dev/stderr"
        exit failed > 0
    }
' "$work/fragments/said" "$work/fragments/index" 2> "$work/fragments/tally"
read -r passed failed < "$work/fragments/tally"
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
    failed=1
    echo "FAIL the compiler"
    sed 's/^/    /' "$work/fragments/log"
fi
[ -z "${TALLY:-}" ] || echo "$passed $failed" > "$TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
