#!/bin/sh
# run.sh: builds a package that depends on ours, optimised, and runs it. Ends with 0 and one line, or says what failed.
#
# Beyond `swift test` it shows that the products can be depended on from outside, that the generic calls specialise across
# packages, and that a deadlock says its sentence in a release build too. A library that has Dispatch's types in its interface moves together
# with its client, as MovingFromDispatchQueue.md says.
set -u
cd "$(dirname "$0")" || exit 1
scratch=${CONSUMER_SCRATCH:-../../.build-consumer}
log=$scratch/run.log
mkdir -p "$scratch"
unset CC # SwiftPM would take it for its own compiler; it needs clang

fail()
{
    echo "consumer: $1" >&2
    cat "$log" >&2
    exit 1
}

# SwiftPM lets a package with unsafe flags be a dependency by path, but not by version: so no other check would notice.
grep -n unsafeFlags ../../Package.swift > "$log" && fail "Package.swift has unsafeFlags, so no package can depend on a version of it"

"${SWIFT:-swift}" build -c release -j 2 --scratch-path "$scratch" > "$log" 2>&1 || fail "does not build"
grep -E '(warning|error):' "$log" && fail "builds with warnings"

"$scratch/release/swift-consumer" > "$log" 2>&1 || fail "swift-consumer failed"
grep -qx 'swift-consumer: 1000 words' "$log" || fail "swift-consumer printed something else"
"$scratch/release/c-consumer" > "$log" 2>&1 || fail "c-consumer failed"
grep -qx 'c-consumer: 1000 tasks' "$log" || fail "c-consumer printed something else"
"$scratch/release/c-explorer" > "$log" 2>&1 || fail "c-explorer failed"
grep -qx 'c-explorer: 3 choices' "$log" || fail "c-explorer printed something else"
"$scratch/release/moved-client" > "$log" 2>&1 || fail "moved-client failed"
grep -qx 'moved-client: one type' "$log" || fail "moved-client printed something else"

# A shell of its own, so that its note of the crash goes to the log as well.
SWIFT_BACKTRACE=enable=no sh -c '"$0" deadlock; exit $?' "$scratch/release/swift-consumer" > "$log" 2>&1 &&
    fail "a sync onto the own queue went through"
grep -q 'SerialQueue.sync: .*"com.example.store".*syncOrRun' "$log" || fail "the deadlock did not say its sentence"

echo "consumer: ok"
