#!/usr/bin/env bash
# check-dispatch.sh: does each function of libdispatch's headers have a row in FromDispatch.md? Functions and types that our headers declare, too, must
# not be in the section of what stays with libdispatch, and all others must be. The headers are those of the Swift toolchain. Prints what does not
# fit, and `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
page=Documentation/FromDispatch.md
headers=$(dirname "$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")")/lib/swift/dispatch
[ -d "$headers" ] || { echo "check-dispatch: no libdispatch next to ${SWIFT:-swift}"; exit 1; }

code() { cat "$@" | perl -0pe 's,/\*.*?\*/,,gs; s,//[^\n]*,,g'; } # without comments

# The names before a parenthesis, without macros.
functions() { # FILE...
    code "$@" | sed -E '/^#/d; s/(DISPATCH_ALIAS_V2|SQ_DISPATCH_SYMBOL)\([a-z_]*\)//' | grep -oE '\bdispatch_[a-z_0-9]+ *\(' | tr -d ' (' |
        grep -vxE 'dispatch_object_s|dispatch_compiler_barrier' | sort -u
}

# The names that end like a type, and those that a macro declares.
types() { # FILE...
    code "$@" | grep -oE '\bdispatch_[a-z_0-9]+_t\b|DISPATCH_(DECL|DECL_SUBCLASS|ENUM|OPTIONS)\(dispatch_[a-z_0-9]+' | sed -E 's/.*\((.*)/\1_t/' | sort -u
}

stays=$(awk '/^## /{ in_it = /stays with libdispatch/ } in_it && /^\|/' "$page" | grep -oE '\bdispatch_[a-z_0-9]+' | sort -u)
rows=$(grep '^|' "$page" | grep -oE '\bdispatch_[a-z_0-9]+' | sort -u)
# Those for any object are macros.
ours=$(functions Sources/CDispatch/include/dispatch/*.h; grep -ohE '^#define dispatch_[a-z]+\(' Sources/CDispatch/include/dispatch/dispatch.h | grep -oE 'dispatch_[a-z]+')
our_types=$(types Sources/CDispatch/include/dispatch/*.h)
passed=0 failed=0
check() { # NAME WHAT-IS-WRONG
    if [ -z "$2" ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL $1 $2"
    fi
}
# Is it in the section if it is not ours, and only then?
misplaced() { # NAME OUR-NAMES
    if grep -qx "$1" <<< "$2"; then
        ! grep -qx "$1" <<< "$stays" || echo "is ours, and $page says that it stays with libdispatch"
    else
        grep -qx "$1" <<< "$stays" || echo "is not ours, and $page does not say that it stays with libdispatch"
    fi
}
for name in $(functions "$headers"/*.h) dispatch_async_and_wait dispatch_async_and_wait_f dispatch_barrier_async_and_wait dispatch_barrier_async_and_wait_f; do
    wrong=$(misplaced "$name" "$ours")
    grep -qx "$name" <<< "$rows" || wrong="has no row in $page"
    check "$name" "$wrong"
done
for name in $(types "$headers"/*.h); do check "$name" "$(misplaced "$name" "$our_types")"; done
[ -z "${TALLY:-}" ] || echo "$passed $failed" > "$TALLY"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
