/* room_count.h: how much room a queue of limited capacity has, without a lock.
 *
 * DESIGN. Two counts that only rise, on cache lines of their own: `taken` is written by submitters, `given` by the threads that give room back. There is
 * room while taken < size + given. A submitter does not read `given` for each task: `limit` is a sum that was seen before, so it is never too high, and
 * a submitter reads `given` only once `taken` has reached it.
 *
 *     { given: n }            nobody waits for room
 *     { given: n, WAITED }    somebody waits in line (capacity.c). Only a thread with the capacity's mutex changes the word, and room is not counted
 *                             but handed over to the first of the line
 *
 * While somebody waits in line, taken == size + given. So nobody overtakes the line:
 * (a) The first that waits sets WAITED, and takes from the count that the same addition has returned. If that fails, `taken` has reached the sum, and
 *     the sum does not rise before WAITED is cleared.
 * (b) A submitter that has read `given` before (a) knows a sum that is not above it: `taken` has reached that, too, so its swap fails.
 * No wake-up is lost: a giver's swap comes before (a), which then sees its room, or finds WAITED and takes the mutex. */
#pragma once

#include "platform/atomic.h"
#include "platform/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { SQ__WAITED = 1, SQ__GIVEN_ONE = 2 };

/* Fields: F fixed after creation, A atomic. */
typedef struct sq__room_count {
    uint64_t size; /* F */
    _Alignas(SQ__LINE) SQ__ATOMIC(uint64_t) taken; /* A */
    SQ__ATOMIC(uint64_t) limit;                    /* A */
    _Alignas(SQ__LINE) SQ__ATOMIC(uint64_t) given; /* A  see above */
} sq__room_count_t;

/* Takes one room, if there is one; while somebody waits, there is none. */
bool sq__room_take(sq__room_count_t *count);

/* Gives one room back. False: somebody waits, and nothing was done: the caller takes the mutex. */
bool sq__room_give(sq__room_count_t *count);

/* With the mutex, while nobody waits: says that somebody does. True: there was room, which the caller has taken, and nobody waits. */
bool sq__room_wait_or_take(sq__room_count_t *count);

/* With the mutex: nobody waits any more. */
void sq__room_nobody_waits(sq__room_count_t *count);
