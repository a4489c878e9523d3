/* scaling.h: what the parts of the scaling simulation know of each other. README.md says how they fit together.
 *
 * Time is in picoseconds, so that sums of small costs are exact. */
#ifndef SCALING_H
#define SCALING_H

#include <stdbool.h>
#include <stdint.h>

/* work.c: what the threads do. The same source runs in the simulation, and on the real machine with the real library. */
typedef struct sc_scenario {
    const char *name;
    unsigned least;                                    /* processors that it needs */
    void (*begin)(unsigned processors);
    unsigned (*threads)(unsigned processors);          /* how many call `work`; pools and queues have further ones */
    void (*work)(unsigned thread, unsigned count);     /* about `count` operations; returns when they are done */
    uint64_t (*operations)(unsigned processors, unsigned count); /* how many that is, of all threads */
    void (*end)(void);
} sc_scenario_t;
extern const sc_scenario_t sc_scenarios[];
extern const unsigned sc_scenario_count;
enum { SC_PROCESSORS = 64 };

/* lines.c: who has which cache line. */
enum { SC_STATE, SC_QUEUE, SC_SLOTS, SC_STORE, SC_POOL, SC_OBJECT, SC_SLEEP, SC_TASKS, SC_REST, SC_KINDS };
extern const char *const sc_kinds[SC_KINDS];
typedef struct sc_lines {
    uint64_t moves[SC_KINDS]; /* how many lines came from another core, or had to be taken away from others */
    uint64_t queued[SC_KINDS]; /* how long cores waited for others that wanted the same line before them */
} sc_lines_t;
extern sc_lines_t sc_lines;
void sc_lines_reset(void);
void sc_name(const void *start, uint64_t bytes, int kind); /* what lies there from now on */

/* cores.c: the clocks. */
typedef struct sc_costs {
    uint64_t access, swap, move, far, hold, shared, pause, yield, clock, call, wake, latency;
    unsigned group; /* cores that are near each other; lines of others cost `far` */
} sc_costs_t;
extern sc_costs_t sc_costs;
void sc_spend(uint64_t picoseconds);
uint64_t sc_clock(void);           /* of the current core */
void sc_clock_at_least(uint64_t time);
uint64_t sc_random(void);
void sc_run(void (*body)(void), uint64_t seed);
int sc_start_thread(void (*body)(void *), void *argument);
void sc_pass(void);                /* others that are behind in time continue first */

/* system.c: the kernel's part of a mutex. */
bool sc_futex_wait(const void *word, uint32_t expected, uint64_t deadline); /* nanoseconds; false: it has passed */
void sc_futex_wake(const void *word);

#endif
