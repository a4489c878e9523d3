#!/usr/bin/env bash
# check-names.sh [FILE...]: does every file and every name with an underscore that a page puts into backticks exist, and does every link
# to a file or a heading lead somewhere? Prints what does not, and `N passed, N failed`. To see it fail: rename a heading of Design.md.
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- README.md CONTRIBUTING.md Documentation/[!F]*.md Documentation/Design/*.md Sources/*/*.docc/*.md
words=$(mktemp) || exit 1
trap 'rm -f "$words"' EXIT
# The words of sources and tests, and the names of files, with and without their extension.
{ git grep -hoE '[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]*' -- Sources Tests; git ls-files | sed 's,.*/,,' | sed 'p; s/\.[a-z]*$//'; } | sort -u > "$words"
passed=0 failed=0
for page in "$@"; do
    while read -r name; do
        if grep -qxF -e "$name" "$words"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL $page: there is no \`$name\`"
        fi
    done < <(grep -oE '`([a-z]+_[a-z0-9_]+|[A-Za-z_+]+\.(c|h|swift|sh|txt))`' "$page" | tr -d '`' | sort -u)
done

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
[ -z "${TALLY:-}" ] || echo "$passed $failed" > "$TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
