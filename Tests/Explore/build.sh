#!/bin/sh
# build.sh OUT CORE                  the explorer with the core's sources in CORE, as the program OUT
# build.sh OUT CORE FILE PATCHED...  from the same objects, but with each PATCHED in place of CORE/FILE, as OUT-seeded, or as $SEEDED
# With WHOLE=1 for the reduced search, in which each read that another thread may answer differently multiplies the schedules: a thread does not
# look whether its wait is over before it tries to sleep, and finds out (left_out.c), and the highest depth, a statistic, is not sampled.
# With REACH=OBJECT the core's functions report that they run, to what the object defines (Tests/Mutants/reach.c).
# OWN: other sources than the own ones of the explorer; FLAGS: options that come first; DEFINE: other numbers than its small limits (Tests/Scaling).
# With COVER=1 the core counts its branches (gcov), in a section that is not put back between runs (core.c).
set -e
out=$1 core=$2
shift 2
here=$(dirname "$0")
CC=${EXPLORE_CC:-gcc} # not what make calls CC: its hooks and options are gcc's
: "${SLOTS:=2}"
objects=$out.objects
mkdir -p "$objects"
# gnu11, for the explorer asks the system for more than the core does. Small limits, to come to the borders often.
flags="-std=gnu11 -g -fno-pie -Wall -Wextra -Wno-missing-field-initializers $FLAGS -I$here -I$core"
limits="${DEFINE-
    SEGMENT_SLOTS=${SLOTS}u
    SITES=16
    BLOCKS_WARM=2u
    BLOCKS_SHARD=1u
    SHARD_PERMITS=ex_shard_permits()
    VISIT_TURNS=2
    VISIT_AFTER=ex_visit_after()
    SHARED_FROM=2u
    WAIT_LISTS=2
    EARLY_SPINS=1
    LOSER_SPINS=1
    LOSER_SPINS_MOST=1
    EARLY_GAP=1
    EARLY_YIELDS=1
    TRY_SPINS=1
    WAITER_SPINS=1
    WAITER_SPINS_EACH=0
    WAITER_YIELDS=1
    WORKER_SPINS=1
    SEARCH_LOOKS=2
    SEARCH_GAP=1
    IDLES_FOR=ex_idles_for()
    KEPT_THREADS=ex_kept_threads()
    THREAD_LOOKS=ex_thread_looks()
    BRIEF_SLEEP=1
    VISIT_SLICE=1
    VISIT_GAP=1
    RUNNER_SPINS=1
    BATCH=2
    ADMITS=1
    APPLY_SHARES=1
    APPLY_BRIEF=0
    MOST_WORKERS=3
    GATE_MOST_ENTERED=UINT64_C(2)
    STRIPE_MOST_ENTERED=UINT64_C(4)
    STRIPED_AFTER=1u
    CHECKS_WITHOUT_USE=1
    CHECKS_WITH_LITTLE_USE=1
}"
if [ -n "$WHOLE" ]; then
    limits=$(echo "$limits" | sed -E 's/((WAITER|WORKER|EARLY|TRY|RUNNER|LOSER)_(SPINS|YIELDS)|SEARCH_(LOOKS|GAP))=[12]/\1=0/')
    flags="$flags -Wno-type-limits"
fi
for limit in $limits; do
    flags="$flags -DSQ__$limit"
done
seeded=${SEEDED:-$out-seeded}
hooked="-fsanitize=thread --param tsan-instrument-func-entry-exit=0"
plain="-fno-builtin-memset -fno-builtin-memcpy -fno-builtin-memmove"
optimise=-O1 count= vectors=
! grep -qsw avx2 /proc/cpuinfo || vectors=-mavx2
[ -z "$REACH" ] || optimise="-O1 -finstrument-functions"
[ -z "$COVER" ] || { optimise="-O0 --coverage -fdata-sections" count=--coverage; }

name_of() { echo "core-$(echo "${1%.c}" | tr / -)"; }

compile_core() { # SOURCE OBJECT
    $CC $flags $plain $hooked $optimise -c "$1" -o "$2"
}

# With a section for each object, all go by their kind; what gcov reads at the end stays where it is.
section_options() { # OBJECT
    objdump -h "$1" | awk '
        $2 ~ /^\.bss\.__gcov/ { print "--set-section-flags " $2 "=alloc,load,contents --rename-section " $2 "=core_counts"; next }
        $2 ~ /^\.bss\./ { print "--set-section-flags " $2 "=alloc,load,contents --rename-section " $2 "=core_bss"; next }
        $2 ~ /^\.data\.(__gcov|\.)/ { next }
        $2 ~ /^\.data\./ { print "--rename-section " $2 "=core_data" }'
}

link_whole() { # OUT OBJECTS...
    to=$1
    shift
    ld -r ${WHOLE:+--wrap=sq__depth_sample --wrap=sq__ring_depth --wrap=sq__token_sleep --wrap=sq__token_spin --wrap=sq__token_yield --wrap=sq__token_yield_once --wrap=sq__wait_runs_sleep} "$@" -o "$to.o"
    # The core's static data in sections of their own (core.c); its memory functions through the race detection (hooks.c), and
    # its one call of the system, platform/wakeup.c's, to files.c.
    objcopy $(section_options "$to.o") --set-section-flags .bss=alloc,load,contents --rename-section .bss=core_bss --rename-section .data=core_data \
        --redefine-sym syscall=ex_futex --redefine-sym memset=ex_memset --redefine-sym memcpy=ex_memcpy --redefine-sym memmove=ex_memmove "$to.o"
    $CC -no-pie $count "$objects"/own-*.o $REACH "$to.o" -o "$to"
}

if [ $# -gt 0 ]; then
    parts= replaced=" "
    while [ $# -gt 0 ]; do
        name=$(name_of "$1")
        compile_core "$2" "$seeded-$name.o"
        parts="$parts $seeded-$name.o" replaced="$replaced$name "
        shift 2
    done
    for object in "$objects"/core-*.o; do
        name=${object##*/}
        case $replaced in *" ${name%.o} "*) ;; *) parts="$parts $object" ;; esac
    done
    link_whole "$seeded" $parts
    exit
fi

rm -f "$objects"/*.o
for source in $(cd "$core" && ls ./*/*.c | sed "s,^./,," | grep -v "^platform/") platform/json.c platform/text.c platform/wakeup.c; do
    compile_core "$core/$source" "$objects/$(name_of "$source").o"
done
for source in ${OWN:-"$here"/*.c "$here"/scenarios/*.c}; do
    sanitize=
    case $source in */litmus.c | */recording.c | */mutex.c | */work.c) sanitize=$hooked ;; esac
    $CC $flags -O2 $vectors $sanitize -c "$source" -o "$objects/own-$(basename "$source" .c).o"
done
link_whole "$out" "$objects"/core-*.o
