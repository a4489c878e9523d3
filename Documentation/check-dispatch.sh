#!/usr/bin/env bash
# check-dispatch.sh: does each function of libdispatch's headers have a row in FromDispatch.md? Those that our headers declare, too, must not be in
# the section of what stays with libdispatch, and all others must be. The headers are those of the Swift toolchain. Prints what does not fit,
# and `N passed, N failed`. To see it fail: remove a row.
set -u
cd "$(dirname "$0")/.." || exit 1
page=Documentation/FromDispatch.md
headers=$(dirname "$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")")/lib/swift/dispatch
[ -d "$headers" ] || { echo "check-dispatch: no libdispatch next to ${SWIFT:-swift}"; exit 1; }

# The names before a parenthesis, without comments and without macros.
functions() { # FILE...
    cat "$@" | perl -0pe 's,/\*.*?\*/,,gs; s,//[^\n]*,,g' | sed -E '/^#/d; s/(DISPATCH_ALIAS_V2|SQ_DISPATCH_SYMBOL)\([a-z_]*\)//' | grep -oE '\bdispatch_[a-z_0-9]+ *\(' | tr -d ' (' |
        grep -vxE 'dispatch_object_s|dispatch_compiler_barrier' | sort -u
}

stays=$(awk '/^## /{ in_it = /stays with libdispatch/ } in_it && /^\|/' "$page" | grep -oE '\bdispatch_[a-z_0-9]+' | sort -u)
rows=$(grep '^|' "$page" | grep -oE '\bdispatch_[a-z_0-9]+' | sort -u)
# Those for any object are macros.
ours=$(functions Sources/CDispatch/include/dispatch/*.h; grep -ohE '^#define dispatch_[a-z]+\(' Sources/CDispatch/include/dispatch/dispatch.h | grep -oE 'dispatch_[a-z]+')
passed=0 failed=0
for name in $(functions "$headers"/*.h) dispatch_async_and_wait dispatch_async_and_wait_f dispatch_barrier_async_and_wait dispatch_barrier_async_and_wait_f; do
    wrong=
    grep -qx "$name" <<< "$rows" || wrong="has no row in $page"
    if grep -qx "$name" <<< "$ours"; then
        ! grep -qx "$name" <<< "$stays" || wrong="is ours, and $page says that it stays with libdispatch"
    else
        grep -qx "$name" <<< "$stays" || wrong="is not ours, and $page does not say that it stays with libdispatch"
    fi
    if [ -z "$wrong" ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL $name $wrong"
    fi
done
[ -z "${TALLY:-}" ] || echo "$passed $failed" > "$TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
