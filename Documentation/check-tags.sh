#!/usr/bin/env bash
# check-tags.sh [SOURCES [PAGE]]: do the tags of the atomic operations and MemoryOrdering.md agree?
#
#   - each tag in a comment of the core has a section (### [tag]), and each section's tag is in the code;
#   - each function that has a tag is named in the section of that tag, and each one named there exists in that file;
#   - each operation with an order stands in a function that has a tag;
#   - each field that is used relaxed has an item below "## Relaxed operations".
# The same for Sources/SerialQueue, Sources/Ordered and what is below "## Swift": a function with an order has a tag and a section that names it, a section
# names no other function, a relaxed field has an item below "### Relaxed in Swift".
# Prints what is wrong and `N passed, N failed`: an atomic operation, a tag in a function, or a name in a section counts as one.
set -u
cd "$(dirname "$0")/.." || exit 1
sources=${1:-Sources/CSerialQueue}
testing=Sources/CSerialQueueTesting # stands above it
page=${2:-Documentation/MemoryOrdering.md}
facts=$(mktemp) || exit 1
trap 'rm -f "$facts" "$facts".*' EXIT

# Facts of the page, one a line: core|swift section TAG | core|swift names TAG FILE: FUNCTION | core|swift field FIELD
awk '
    function fields(text) {
        sub(/: .*/, "", text)
        for (; match(text, /`[A-Za-z_0-9]+`/); text = substr(text, RSTART + RLENGTH)) print side, "field", substr(text, RSTART + 1, RLENGTH - 2)
    }
    BEGIN { side = "core" }
    /^#/ { tag = ""; is_relaxed = /^##+ Relaxed/ }
    $0 == "## Swift" { side = "swift" }
    /^### \[[a-z]+\]$/ { tag = substr($2, 2, length($2) - 2); print side, "section", tag }
    tag != "" {
        for (line = $0; match(line, /`[A-Za-z_0-9+]+\.(c|h|swift): [A-Za-z_0-9]+`/); line = substr(line, RSTART + RLENGTH))
            print side, "names", tag, substr(line, RSTART + 1, RLENGTH - 2)
    }
    # The fields of an item stand before its first colon, on its first line or on more.
    is_relaxed && /^- / { item = ""; is_open = 1 }
    is_relaxed && is_open { item = item " " $0; if (item ~ /: /) { fields(item); is_open = 0 } }
' "$page" > "$facts.page"

# Facts of the code, one a line: tag TAG FILE FUNCTION | order FIELD FILE FUNCTION | relaxed FIELD FILE FUNCTION | function FILE FUNCTION
find "$sources" $testing -name '*.[ch]' ! -name atomic.h ! -path '*/include/*' -print0 | sort -z | xargs -0 awk '
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

awk '
    function wrong(sentence) { failed += 1; print "FAIL " sentence }
    function check(good, sentence) { if (good) passed += 1; else wrong(sentence) }
    $1 == "swift" { next }
    $1 == "core" && $2 == "section" { sections[$3] = 1 }
    $1 == "core" && $2 == "names" { named[$3, $4 " " $5] = 1 }
    $1 == "core" && $2 == "field" { has_item[$3] = 1 }
    $1 == "function" { exists[$2 ": " $3] = 1 }
    $1 == "tag" { in_code[$2] = 1; has_tag[$3 ": " $4] = 1; pairs[$2, $3 ": " $4] = 1 }
    $1 == "order" { orders[$3 ": " $4] = $2 }
    $1 == "relaxed" { relaxed[$2] = $3 ": " $4 }
    END {
        for (tag in in_code) check(tag in sections, "[" tag "] is in the code and has no section")
        for (tag in sections) check(tag in in_code, "[" tag "] has a section and is not in the code")
        for (pair in pairs) {
            split(pair, part, SUBSEP)
            if (part[1] in sections) check(pair in named, part[2] " has [" part[1] "], and its section does not name that function")
        }
        for (pair in named) { split(pair, part, SUBSEP); check(part[2] in exists, "the section of [" part[1] "] names " part[2] ", which does not exist") }
        for (place in orders) check(place in has_tag, place " orders `" orders[place] "` without a tag")
        for (field in relaxed) check(field in has_item, "`" field "` is used relaxed (" relaxed[field] ") and has no item")
        if (passed == 0) wrong("nothing was found to check")
        print passed + 0, failed + 0
    }' "$facts.page" "$facts" > "$facts.core"

# A function begins with func, init, deinit or a computed var, and has the comments directly above it.
find Sources/SerialQueue Sources/Ordered -name '*.swift' -print0 | sort -z | xargs -0 awk -v page="$facts.page" '
    function wrong(sentence) { failed += 1; print "FAIL " sentence }
    function check(good, sentence) { if (good) passed += 1; else wrong(sentence) }
    BEGIN {
        while ((getline line < page) > 0) {
            split(line, word, " ")
            if (word[1] == "swift" && word[2] == "names") named["[" word[3] "] " word[4] " " word[5]] = 1
            if (word[1] == "swift" && word[2] == "field") has_item[word[3]] = 1
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
            for (n = split(tagged[place], tags, " "); n > 0; n -= 1) check((tags[n] " " place) in named, place " has " tags[n] ", and its section does not name that function")
        }
        for (pair in named) { place = pair; sub(/^[^ ]* /, "", place); check(place in ordered, "a section below Swift names " place ", which orders nothing") }
        for (field in relaxed) check(field in has_item, "`" field "` is used relaxed (" relaxed[field] ") and has no item below Swift")
        print passed + 0, failed + 0
    }' > "$facts.swift"
sed '$d' "$facts.core"
sed '$d' "$facts.swift"
read -r passed failed < <(tail -qn 1 "$facts.core" "$facts.swift" | awk '{ passed += $1; failed += $2 } END { print passed, failed }')
[ -z "${TALLY:-}" ] || echo "$passed $failed" > "$TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
