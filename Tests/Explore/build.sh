#!/bin/sh
# build.sh OUT CORE: links the explorer with the core's sources in CORE, as the program OUT.
set -e
out=$1; core=$2; here=$(dirname "$0")
: "${CC:=gcc}" "${SLOTS:=2}"
objects=$out.objects
mkdir -p "$objects"
# One core for all: gnu11, for the explorer asks the system for more than the core does.
flags="-std=gnu11 -g -fno-pie -fno-omit-frame-pointer -Wall -Wextra -I$here -I$core"
limits="-DSQ__SEGMENT_SLOTS=${SLOTS}u -DSQ__WAITER_SPINS=1 -DSQ__WAITER_YIELDS=1 -DSQ__WORKER_SPINS=1 -DSQ__LINGER_SPINS=1"
parts=
for source in "$core"/queue/*.c "$core"/thread/*.c; do
    object=$objects/core-$(basename "$source" .c).o
    $CC $flags $limits -O1 -fno-builtin-memset -fno-builtin-memcpy -fno-builtin-memmove -fsanitize=thread --param tsan-instrument-func-entry-exit=0 \
        -Wno-tsan -c "$source" -o "$object"
    parts="$parts $object"
done
ld -r $parts -o "$objects/whole.o"
# The core's static data in sections of their own (core.c), its memory functions through the race detection (hooks.c).
objcopy --set-section-flags .bss=alloc,load,contents --rename-section .bss=core_bss --rename-section .data=core_data \
    --redefine-sym memset=ex_memset --redefine-sym memcpy=ex_memcpy --redefine-sym memmove=ex_memmove "$objects/whole.o"
rest=
for source in "$here"/*.c "$here"/scenarios/*.c; do
    object=$objects/$(basename "$source" .c).o
    sanitize=
    case $source in */litmus.c) sanitize="-fsanitize=thread --param tsan-instrument-func-entry-exit=0" ;; esac
    $CC $flags $limits -O2 -mavx2 $sanitize -c "$source" -o "$object"
    rest="$rest $object"
done
$CC -no-pie $rest "$objects/whole.o" -o "$out"
