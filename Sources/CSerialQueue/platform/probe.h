/* probe.h: points in the code that bpftrace, perf, gdb and SystemTap can attach to in a running process (USDT).
 *
 * DESIGN. A point is one nop. A note in the file, which is never loaded into memory, says where the nop is, what the point is called, and in
 * which registers its arguments are. A tool replaces the nop by a trap while it is attached. The format is that of SystemTap's
 * <sys/sdt.h>, written here directly because the core needs the C library alone. Each argument has eight bytes; it should be a
 * value that the code has in a register anyway, as it costs an instruction otherwise.
 *
 *     note    sizes of the name and of the rest, type 3, "stapsdt"; the addresses of the nop, of _.stapsdt.base, and of a
 *             semaphore (none); the provider, the point and the arguments as three texts
 *
 * When gold drops unused code (SwiftPM's release builds), it refuses a note that names dropped code. So each point also puts the
 * distance to its nop, which nobody reads, into a section of exception tables: what those refer to, gold keeps. Tests/Consumer shows it.
 *
 * _.stapsdt.base shows a tool by how much the addresses of a file were moved after it was linked.
 *
 * On other systems and processors a point is nothing, and its arguments are not evaluated.
 *
 * SQ__WITHOUT_INSIDE, which only the measurement of their cost defines (Benchmarks/C/cost.c), leaves out probes and traces. */
#pragma once

#include "platform/system.h"

#include <stdint.h>

#if defined(SQ__WITHOUT_INSIDE)
enum { SQ__SEES_INSIDE = 0 };
#else
enum { SQ__SEES_INSIDE = 1 };
#endif

#if SQ__LINUX && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(SQ__WITHOUT_INSIDE)

#define SQ__PROBE_NOTE(name, arguments)                                         \
    "990: nop\n"                                                                \
    ".pushsection .note.stapsdt, \"\", \"note\"\n"                              \
    ".balign 4\n"                                                               \
    ".4byte 992f - 991f, 994f - 993f, 3\n"                                      \
    "991: .asciz \"stapsdt\"\n"                                                 \
    "992: .balign 4\n"                                                          \
    "993: .8byte 990b, _.stapsdt.base, 0\n"                                     \
    ".asciz \"serialqueue\"\n"                                                  \
    ".asciz \"" name "\"\n"                                                     \
    ".asciz \"" arguments "\"\n"                                                \
    "994: .balign 4\n"                                                          \
    ".popsection\n"                                                             \
    ".pushsection .gcc_except_table.serialqueue, \"a\", \"progbits\"\n"          \
    ".balign 4\n"                                                               \
    ".4byte 990b - .\n"                                                         \
    ".popsection\n"                                                             \
    ".ifndef _.stapsdt.base\n"                                                  \
    ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n" \
    ".weak _.stapsdt.base\n"                                                    \
    ".hidden _.stapsdt.base\n"                                                  \
    "_.stapsdt.base: .space 1\n"                                                \
    ".size _.stapsdt.base, 1\n"                                                 \
    ".popsection\n"                                                             \
    ".endif\n"

#define SQ__PROBE_WORD(value) "nr"((uint64_t)(uintptr_t)(value))

/* One that is in memory anyway. clang would load such a value, and store it elsewhere, if it had the choice. */
#if defined(__clang__)
#define SQ__PROBE_FIELD(value) "m"(value)
#else
#define SQ__PROBE_FIELD(value) "nor"((uint64_t)(uintptr_t)(value))
#endif

/* __inline__: otherwise gcc takes each line for an instruction, and inlines less. */
#define SQ__PROBE_POINT(name, arguments, ...) __asm__ __inline__ __volatile__(SQ__PROBE_NOTE(name, arguments) : : __VA_ARGS__)
#define SQ__PROBE2(name, one, two) SQ__PROBE_POINT(#name, "8@%0 8@%1", SQ__PROBE_WORD(one), SQ__PROBE_WORD(two))
#define SQ__PROBE3(name, one, two, three) \
    SQ__PROBE_POINT(#name, "8@%0 8@%1 8@%2", SQ__PROBE_WORD(one), SQ__PROBE_WORD(two), SQ__PROBE_WORD(three))
#define SQ__PROBE4(name, one, two, three, four)                                                                   \
    SQ__PROBE_POINT(#name, "8@%0 8@%1 8@%2 8@%3", SQ__PROBE_WORD(one), SQ__PROBE_WORD(two), SQ__PROBE_WORD(three), \
                    SQ__PROBE_WORD(four))
#define SQ__PROBE4_FIELDS(name, one, two, three, four)                                                              \
    SQ__PROBE_POINT(#name, "8@%0 8@%1 8@%2 8@%3", SQ__PROBE_WORD(one), SQ__PROBE_WORD(two), SQ__PROBE_FIELD(three), \
                    SQ__PROBE_FIELD(four))

#else

/* Not evaluated, but used: compilers do not warn about what only a probe uses. */
#define SQ__PROBE4(name, one, two, three, four) \
    do {                                        \
        if (0) {                                \
            (void)(one);                        \
            (void)(two);                        \
            (void)(three);                      \
            (void)(four);                       \
        }                                       \
    } while (0)
#define SQ__PROBE2(name, one, two) SQ__PROBE4(name, one, two, 0, 0)
#define SQ__PROBE3(name, one, two, three) SQ__PROBE4(name, one, two, three, 0)
#define SQ__PROBE4_FIELDS SQ__PROBE4

#endif
