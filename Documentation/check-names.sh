#!/usr/bin/env bash
# check-names.sh [FILE...]: does every file and every name with an underscore that a page puts into backticks exist? Prints what does
# not, and `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- README.md CONTRIBUTING.md Documentation/[!F]*.md Sources/*/*.docc/*.md
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
[ -z "${TALLY:-}" ] || echo "$passed $failed" > "$TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
