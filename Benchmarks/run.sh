#!/bin/sh
# run.sh: builds and runs the benchmarks. `make bench` calls it.
#
#   Benchmarks/run.sh          the C core against libdispatch and the other contenders, in three conditions
#   Benchmarks/run.sh swift    SerialQueue against DispatchQueue
#   Benchmarks/run.sh portable what the portable form of the Swift layer costs
#   Benchmarks/run.sh growth   how cost grows with backlog, threads and task length
#   Benchmarks/run.sh libdispatch   the ways to use and to link libdispatch
#   Benchmarks/run.sh loop     a loop pool against a queue with a thread of its own, and against a bare eventfd
#   Benchmarks/run.sh cost     what probes and traces cost: instructions while they are off, time for an event while they are on
#   Benchmarks/run.sh peers    the C core against what other libraries and languages have instead of it, in three conditions
#   Benchmarks/run.sh all      the first three
#   Benchmarks/run.sh readme   rewrites the figures in README.md from the runs in build/results/runs
#
# CONDITION=… SCENARIO=… CONTENDER=… ROUNDS=… QUICK=1: see driver/bench.py. CORE=… takes the C core from another folder.
set -eu
cd "$(dirname "$0")"

fail() { printf '%s\n' "$*" >&2; exit 1; }

toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc || echo /opt/swift/usr/bin/swiftc)")")")
[ -e "$toolchain/lib/swift/linux/libdispatch.so" ] || fail \
    "There is no Swift toolchain here, and libdispatch, which all is measured against, comes with it: swift.org/install"
export BENCH_COMPILER="$toolchain/bin/clang"
[ -x "$BENCH_COMPILER" ] || fail "The Swift toolchain in $toolchain has no clang; every contender is built with it."

# Two runs at a time would measure each other.
mkdir -p build
if command -v flock >/dev/null && [ -z "${BENCH_LOCKED:-}" ]; then
    export BENCH_LOCKED=1
    lock=${TMPDIR:-/tmp}/serial-queue-benchmarks.lock
    flock --nonblock "$lock" true || printf 'waiting for the end of another run of the benchmarks\n' >&2
    exec flock "$lock" "./$(basename "$0")" "$@"
fi

build() {
    programs="ours libdispatch dispatch-global mutex plain"
    pkg-config --exists glib-2.0 2>/dev/null && programs="$programs glib"
    printf '#if !__has_include(<asio.hpp>)\n#include <boost/asio.hpp>\n#endif\n' | "$BENCH_COMPILER" -x c++ -std=c++17 -E - >/dev/null 2>&1 &&
        programs="$programs asio"
    rm -f build/bench_glib build/bench_asio
    # shellcheck disable=SC2086
    make --no-print-directory -s -C C -j"$(nproc)" TOOLCHAIN="$toolchain" ${CORE:+CORE="$(readlink -f "$CORE")"} \
        $programs || fail "The contenders could not be built."
}

c() { build; python3 driver/bench.py; }
libdispatch() {
    build
    make --no-print-directory -s -C C TOOLCHAIN="$toolchain" ${CORE:+CORE="$(readlink -f "$CORE")"} variants ||
        fail "The ways to use libdispatch could not be built."
    python3 driver/libdispatch.py
}
loop() {
    make --no-print-directory -s -C C TOOLCHAIN="$toolchain" ${CORE:+CORE="$(readlink -f "$CORE")"} loop || fail "The loops could not be built."
    python3 driver/loop.py
}
cost() {
    make --no-print-directory -s -C C -j"$(nproc)" TOOLCHAIN="$toolchain" ${CORE:+CORE="$(readlink -f "$CORE")"} cost || fail "The two cores could not be built."
    python3 driver/cost.py
}
growth() { build; python3 driver/growth.py; }
peers() { python3 driver/peers.py "$toolchain"; }
swift() { python3 driver/swift.py; }
portable() { python3 driver/portable.py; }

case "${1:-c}" in
    c) c; cost ;;
    swift) swift ;;
    portable) portable ;;
    growth) growth ;;
    loop) loop ;;
    peers) peers ;;
    cost) cost ;;
    libdispatch) libdispatch ;;
    all) c; cost; swift; growth ;;
    readme) python3 driver/readme.py ;;
    *) fail "usage: Benchmarks/run.sh [c|swift|portable|growth|peers|loop|cost|libdispatch|all|readme]" ;;
esac
