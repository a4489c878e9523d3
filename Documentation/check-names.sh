#!/usr/bin/env bash
# check-names.sh: does every name that a page has exist, and does every link to a file or a heading lead somewhere? Names are files and
# names with an underscore in backticks, functions behind their file, and, anywhere on any page and in any comment, those that begin with sq_ or SQ_.
# A name exists if code has it: comments do not count. Prints what does not exist, and `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
words=$folder/words
scripts/code-names "$folder/code" "$folder/comments" || exit 1
# Those of code, and the names of files, with and without their extension.
{ cat "$folder/code"; git ls-files | sed 's,.*/,,' | sed 'p; s/\.[a-z]*$//'; } | LC_ALL=C sort -u > "$words"
passed=0 failed=0

# each_exists PAGE, with its names as input
each_exists() {
    local names missing
    names=$(LC_ALL=C sort -u)
    missing=$(LC_ALL=C comm -23 <(printf '%s' "${names:+$names$'\n'}") "$words")
    for name in $missing; do echo "FAIL $1: there is no \`$name\`"; done
    missing=$(wc -w <<< "$missing")
    failed=$((failed + missing))
    passed=$((passed + $(wc -w <<< "$names") - missing))
}

# FromDispatch.md has names of libdispatch's.
for page in README.md CONTRIBUTING.md Documentation/[!F]*.md Documentation/Design/*.md Sources/*/*.docc/*.md; do
    each_exists "$page" < <(grep -oE '`([A-Za-z]+_[A-Za-z0-9_]+|[A-Za-z_+]+\.(c|h|swift|sh|txt))`' "$page" | tr -d '`' | grep -vE "^(sq|SQ)_")
done
# The changelog may have names of old. A link to a heading has its words without their dots; a name that ends in an underscore stands for those that begin so.
for page in $(git ls-files '*.md' ':!CHANGELOG.md' Documentation/serialqueue.7 Tools/sq-trace.1 Tools/sq-top.1); do
    each_exists "$page" < <(sed -E 's/\]\([^)]*\)/]/g' "$page" | grep -oE '\b(sq|SQ)_[A-Za-z0-9_]*[A-Za-z0-9]\b')
done

# `ring.c: sq__ring_reserve`: does a file of that name of the core have that function?
for page in Documentation/Design.md Documentation/Design/*.md Documentation/MemoryOrdering.md; do
    while IFS=': ' read -r file function; do
        if git grep -qE "\b$function\(" -- "Sources/*/$file"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL $page: $file has no $function"
        fi
    done < <(grep -ohE '`[a-z_]+\.[ch]: [a-z_0-9A-Z]+`' "$page" | tr -d '`' | sort -u)
done

# Comments
missing=$(awk 'FNR == NR { there[$1]; next } !($2 in there)' "$words" "$folder/comments")
[ -z "$missing" ] || sed 's/^\(.*\) \(.*\)$/FAIL \1: there is no `\2`/' <<< "$missing"
failed=$((failed + $(wc -l <<< "$missing") - (${#missing} == 0)))
passed=$((passed + $(wc -l < "$folder/comments") - $(wc -l <<< "$missing") + (${#missing} == 0)))

# The anchors of a page's headings, as GitHub makes them.
anchors() { sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }

# link_works PAGE TARGET: the target is a path, a path and an anchor, or an anchor of the page itself.
link_works() {
    local file=${2%%#*} anchor=''
    case $2 in *'#'*) anchor=${2#*#} ;; esac
    if [ -n "$file" ]; then file=$(dirname "$1")/$file; else file=$1; fi
    [ -e "$file" ] && { [ -z "$anchor" ] || anchors "$file" | grep -qxF -e "$anchor"; }
}

for page in $(git ls-files '*.md' ':!*.docc/*'); do
    while read -r target; do
        if link_works "$page" "$target"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL $page: the link to $target leads nowhere"
        fi
    done < <(grep -oE '\]\([^):]+\)' "$page" | sed 's/^](//; s/)$//' | sort -u)
done
# The rooms and modules of the core
rooms=$(Documentation/rooms.py check) || sed '$d' <<< "$rooms"
read -r good _ bad _ <<< "$(tail -n 1 <<< "$rooms")"
passed=$((passed + good)) failed=$((failed + bad))
[ -z "${TALLY:-}" ] || echo "$passed $failed" > "$TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
