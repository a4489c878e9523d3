#!/usr/bin/env bash
# check-tags.sh [SOURCES [PAGE]]: do the tags of the atomic operations and MemoryOrdering.md agree?
#
#   - each tag in a comment of the core has a row, and each row's tag is in the code;
#   - each function that has a tag is named in a row of that tag, and each one named there exists in that file;
#   - each operation with an order stands in a function that has a tag, or has a row with the tag –;
#   - each field that is used relaxed has a row;
# The same for Sources/SerialQueue and the section "Swift": a function with an order has a tag and a row that names it, a row names no
# other function, a relaxed field has a row.
# Prints what is wrong and `N passed, N failed`: an atomic operation, a tag in a function, or a name in a row counts as one.
set -u
cd "$(dirname "$0")/.." || exit 1
sources=${1:-Sources/CSerialQueue}
page=${2:-Documentation/MemoryOrdering.md}
facts=$(mktemp) || exit 1
trap 'rm -f "$facts"' EXIT

# Facts of the code, one a line: tag TAG FILE FUNCTION | order FIELD FILE FUNCTION | relaxed FIELD FILE FUNCTION | function FILE FUNCTION
find "$sources" -name '*.[ch]' ! -name atomic.h ! -path '*/include/*' -print0 | sort -z | xargs -0 awk '
    FNR == 1 { file = FILENAME; sub(/.*\//, "", file); within = 0; current = "-" }
    {
        code = ""; comment = ""; rest = $0
        while (rest != "") {
            at = index(rest, within ? "*/" : "/*")
            piece = at ? substr(rest, 1, at - 1) : rest
            if (within) comment = comment " " piece; else code = code " " piece
            rest = at ? substr(rest, at + 2) : ""
            if (at) within = !within
        }
        # A function begins at the first column, with a name and a parenthesis.
        head = $0; gsub(/__attribute__\(\([a-z_]+\)\) /, "", head)
        if (head ~ /^[a-z_][A-Za-z_0-9 *]*[ *][a-z_0-9]+\(/ && head !~ /;$/) {
            current = head; sub(/\(.*/, "", current); sub(/.*[ *]/, "", current)
            print "function", file, current
        }
        while (match(comment, /\[[a-z]+\]/)) {
            print "tag", substr(comment, RSTART + 1, RLENGTH - 2), file, current
            comment = substr(comment, RSTART + RLENGTH)
        }
        while (match(code, /sq__(load|store|exchange|add|or|sub|cas)_[a-z_]+\(|sq__count\(/)) {
            call = substr(code, RSTART, RLENGTH); code = substr(code, RSTART + RLENGTH)
            object = code; sub(/^\(?/, "", object)
            if (object ~ /^sq__[a-z_]+\(/) { sub(/,.*/, "", object); sub(/.*->/, "", object) } # a word that a function finds, or a field of a loaded pointer
            else sub(/[,)].*/, "", object)
            if (object ~ /\?/) sub(/.*->/, "", object)
            gsub(/\[[^]]*\]/, "", object); sub(/.*(->|\.|&)/, "", object); gsub(/[^A-Za-z_0-9]/, "", object)
            kind = (call ~ /(acquire|release|acq_rel)/) ? "order" : "relaxed"
            print kind, object, file, current
        }
    }' > "$facts"

awk -v page="$page" '
    function wrong(sentence) { failed += 1; print "FAIL " sentence }
    function check(good, sentence) { if (good) passed += 1; else wrong(sentence) }
    FILENAME == page {
        if ($0 == "## Swift") is_swift = 1
        if ($0 !~ /^\| / || is_swift) next
        cells = split($0, cell, / \| /)
        tag = cell[1]; sub(/^\| /, "", tag)
        if (tag ~ /^\[[a-z]+\]$/ || tag == "–") {
            gsub(/[][]/, "", tag); rows[tag] = 1
            text = $0
            while (match(text, /`[a-z_]+\.[ch]: [a-z_]+`/)) {
                named[tag, substr(text, RSTART + 1, RLENGTH - 2)] = 1
                text = substr(text, RSTART + RLENGTH)
            }
        } else {
            while (match(tag, /`[a-z_]+`/)) { relaxed_row[substr(tag, RSTART + 1, RLENGTH - 2)] = 1; tag = substr(tag, RSTART + RLENGTH) }
        }
        next
    }
    $1 == "function" { exists[$2 ": " $3] = 1 }
    $1 == "tag" { in_code[$2] = 1; has_tag[$3 ": " $4] = 1; pairs[$2, $3 ": " $4] = 1 }
    $1 == "order" { orders[$3 ": " $4] = $2 }
    $1 == "relaxed" { relaxed[$2] = $3 ": " $4 }
    END {
        for (tag in in_code) check(tag in rows, "[" tag "] is in the code and has no row")
        for (tag in rows) if (tag != "–") check(tag in in_code, "[" tag "] has a row and is not in the code")
        for (pair in pairs) {
            split(pair, part, SUBSEP)
            if (part[1] in rows) check(pair in named, part[2] " has [" part[1] "], and no row of it names that function")
        }
        for (pair in named) { split(pair, part, SUBSEP); check(part[2] in exists, "a row of [" part[1] "] names " part[2] ", which does not exist") }
        for (place in orders) check(place in has_tag || ("–", place) in named, place " orders `" orders[place] "` without a tag")
        for (field in relaxed) check(field in relaxed_row, "`" field "` is used relaxed (" relaxed[field] ") and has no row")
        if (passed == 0) wrong("nothing was found to check")
        print passed + 0, failed + 0
    }' "$page" "$facts" > "$facts.core"

# A function begins with func, init, deinit or a computed var, and has the comments directly above it.
find Sources/SerialQueue -name '*.swift' -print0 | sort -z | xargs -0 awk -v page="$page" '
    function wrong(sentence) { failed += 1; print "FAIL " sentence }
    function check(good, sentence) { if (good) passed += 1; else wrong(sentence) }
    BEGIN {
        while ((getline line < page) > 0) {
            if (line == "## Swift") within = 1
            if (!within || line !~ /^\| /) continue
            split(line, cell, / \| /); tag = substr(cell[1], 3)
            if (tag ~ /^\[[a-z]+\]$/) {
                for (; match(line, /`[A-Za-z+]+\.swift: [A-Za-z]+`/); line = substr(line, RSTART + RLENGTH)) named[tag " " substr(line, RSTART + 1, RLENGTH - 2)] = 1
            } else for (; match(tag, /`[A-Za-z]+`/); tag = substr(tag, RSTART + RLENGTH)) relaxed_row[substr(tag, RSTART + 1, RLENGTH - 2)] = 1
        }
    }
    FNR == 1 { file = FILENAME; sub(/.*\//, "", file); current = "-" }
    match($0, /(func|var) [A-Za-z]+(<[^>]*>)?[(:]/) && !/Atomic\(/ && (/func/ || /\{$/) { current = substr($0, RSTART, RLENGTH); sub(/^(func|var) /, "", current); sub(/[^A-Za-z].*/, "", current) }
    /\/\/ / { for (line = $0; match(line, /\[[a-z]+\]/); line = substr(line, RSTART + RLENGTH)) tagged[file ": " current] = tagged[file ": " current] " " substr(line, RSTART, RLENGTH) }
    /[oO]rdering: \.(acquir|releas|sequential)/ { ordered[file ": " current] = 1; next }
    match($0, /[A-Za-z]+\.[A-Za-z]+\(.*ordering: \.relaxed/) { field = substr($0, RSTART); sub(/\..*/, "", field); relaxed[field] = file ": " current }
    END {
        for (place in ordered) {
            check(place in tagged, place " orders without a tag")
            for (n = split(tagged[place], tags, " "); n > 0; n -= 1) check((tags[n] " " place) in named, place " has " tags[n] ", and no row of it names that function")
        }
        for (pair in named) { place = pair; sub(/^[^ ]* /, "", place); check(place in ordered, "a row of the Swift section names " place ", which orders nothing") }
        for (field in relaxed) check(field in relaxed_row, "`" field "` is used relaxed (" relaxed[field] ") and has no row in the Swift section")
        print passed + 0, failed + 0
    }' > "$facts.swift"
trap 'rm -f "$facts" "$facts.core" "$facts.swift"' EXIT
sed '$d' "$facts.core"
sed '$d' "$facts.swift"
read -r passed failed < <(tail -qn 1 "$facts.core" "$facts.swift" | awk '{ passed += $1; failed += $2 } END { print passed, failed }')
[ -z "${TALLY:-}" ] || echo "$passed $failed" > "$TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
