/* reduce.h: a depth-first search that runs one schedule of each set of schedules that differ only in the order of independent steps. */
#ifndef REDUCE_H
#define REDUCE_H

#include <stdbool.h>
#include <stdint.h>

/* What a step does to an object that other threads use. A lock can be taken when it is free, and an await ends when what it waits for has
 * happened: until then the thread cannot run. */
typedef enum ex_touch { EX_NOTHING, EX_READS, EX_WRITES, EX_LOCKS, EX_UNLOCKS, EX_ENDS, EX_AWAITS } ex_touch_t;
typedef struct ex_footprint {
    struct { const void *object; ex_touch_t touch; } at[2];
    uint8_t compares;  /* a compare-and-swap of so many bytes at at[0]: a write if it finds this value, else a read; 0: none */
    uint64_t expected;
} ex_footprint_t;

/* A set of actors: bit i is thread i, bit EX_THREADS + i is time, which passes the deadline of thread i. */
typedef uint32_t ex_actors_t;

extern bool ex_reducing; /* this run is part of such a search */

void ex_reduce_begin(void);
void ex_reduce_begin_run(void);
bool ex_reduce_next(void); /* false: every schedule has been run, or has an equivalent that was */
bool ex_reduce_is_redundant(void); /* this run was abandoned: all that it could still do has been done */
bool ex_reduce_was_too_long(void);  /* a run was abandoned because it has too many steps: a thread spins until another one continues */
void ex_reduce_again(void); /* the next run repeats the last one */

/* The next step of a thread will do this. */
void ex_reduce_announce(int actor, ex_footprint_t footprint);

/* Chooses the actor of the next step. -1: this run is redundant. */
int ex_reduce_choose(ex_actors_t enabled, int current);
unsigned ex_reduce_value(unsigned options, bool disturbs); /* of the step under way; 0 first */

/* The step under way of the one thread comes before whatever the other one does next. */
void ex_reduce_order(int from, int to);
void ex_reduce_order_all(int to);

/* What follows is run in one order, and each read sees the newest value, until it is so no longer: what comes then is after all that. */
void ex_reduce_in_one_order(bool is_so);

/* Time, as far as the current thread can know: deadlines that passed before what it has seen. */
uint64_t ex_reduce_now(int thread);
void ex_reduce_pass(int actor, uint64_t time);

/* The number of the step under way, and whether a step came before it for a reason other than what it does itself. */
unsigned ex_reduce_step(void);
bool ex_reduce_came_before(unsigned step);

/* Each thread is disturbed once in a run at most: by a failed allocation, for example. */
bool ex_reduce_may_disturb(int thread);

uint64_t ex_reduce_hash(void); /* equal for equivalent schedules, and for them alone */

#endif
