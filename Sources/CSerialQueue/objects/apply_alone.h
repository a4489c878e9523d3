/* apply_alone.h: the part of an apply that needs no other thread.
 *
 * DESIGN. A loop that is over sooner than a worker can come gains nothing from a post to the pool, which costs a lock and a
 * wake-up. So each thread keeps a record, like those of thread/spin.h, of the loops with the same code. After one that was brief
 * and got no help, it runs the next ones alone at first: 1, 3, 7, up to 63 in a row while they stay brief. It asks for help with the rest
 * of such a loop if it takes longer. So a first iteration that blocks delays the others only if the loops before it were brief. */
#pragma once

#include "include/sq_apply.h"

/* The loop of an apply. */
typedef struct sq__apply_alone {
    sq_iteration_t function;
    void *context;
    size_t count;
    uintptr_t code; /* of an iteration, for the record: the function, or what it calls if all loops have the same one */
} sq__apply_alone_t;

/* Runs iterations from `begin` on, on this thread: all, or `briefly`: at least one, until the loop is no longer brief. Returns the first that it has
 * not run; loop->count: none is left. */
size_t sq__apply_alone_run(const sq__apply_alone_t *loop, size_t begin, bool briefly);

/* T. Once for each loop, as a turn alone is used up. False: the thread first runs the loop alone, for a short time, and then asks for help with what
 * is left. */
bool sq__apply_alone_posts_at_once(const sq__apply_alone_t *loop);

/* T. Called after a loop that was posted. `has_gained`: a worker helped. `took`: nanoseconds. */
void sq__apply_alone_keep_record(const sq__apply_alone_t *loop, bool has_gained, uint64_t took);

/* T. A loop that ran alone was not brief: the next one is posted at once. */
void sq__apply_alone_forget(void);
