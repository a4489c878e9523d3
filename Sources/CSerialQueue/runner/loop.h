/* loop.h: runners that are one of the program's own threads, called from its event loop.
 *
 * DESIGN. A loop has no threads. One thread of the program's, the owner, runs its ready entries, when the program calls it. A
 * descriptor tells the program when to do that: it is readable while entries are ready.
 *
 * The descriptor. `is_rung` says that it is readable, or that a thread is about to write it. The thread that posts an entry sets
 * is_rung, under the loop's lock; if it was not set, that thread writes the descriptor after the unlock. Only the owner clears it, under
 * the lock, and only when the list is empty. So while there are entries, there has been a write that nobody has read yet, or it is
 * about to come; and there is one write for each time that the loop becomes ready, however many posts there are.
 *
 *     (p1) a post, with the lock: appends the entry, and sets is_rung   (p2) if it was not set: writes, without the lock
 *     (r1) the owner runs what is ready   (r2) with the lock: the list is empty: reads; if there was something to read, clears is_rung
 *     (r3) polls, or lets the program poll
 *
 *     p1 r2           r2 finds the entry and does not read
 *     r2 p1 p2 r3     r3 returns at once
 *     p1 r1 r2 p2     the entry has run before it was announced. r2 finds nothing to read, so is_rung stays set, and no other thread
 *                     writes. r3 returns once although nothing is ready, and the next r2 reads
 *     p1 r1 p2        the entry may free the loop in r1. The poster has a reference from p1 to p2, so the descriptor is still open
 *     a stop          rings as (p) does. While it is pending, r2 of a run that it is to end does not read
 *
 * The owner does not read at once when it finds the list empty: it first spins for a moment. Posts that come in that time do not write,
 * because is_rung is still set. So posts to a busy loop make no system call.
 *
 * The owner is the first thread that runs the loop, or asks for it, until that thread ends (thread/owner.h). Then the next one may take over:
 * entries stay ready, and the descriptor readable. A guest owns the loop during one run only, so each run may have another thread.
 *
 * An owner that waits for a queue of its own loop, or for a group or an item that has a task there, runs the entry of that queue while
 * it waits (wait/wait_runs.h). If the entry is not ready, the owner sleeps on a token, and each post to one of its loops wakes that token
 * (thread/owner.h). Polling the descriptor would not do: it stays readable while other entries are ready. An entry is posted once until
 * it is run, so the owner is woken at most once for each other queue. */
#pragma once

#include "platform/event.h"
#include "runner/hosted.h"

/* F fixed after create, L under its lock. */
typedef struct sq__loop {
    sq__hosted_t hosted;
    sq__event_fd_t event;            /* F  its descriptor */
    bool is_rung;                    /* L  the descriptor is readable, or a thread is about to make it so */
    bool stops;                      /* L  sq_pool_run_forever ends when it reads this next */
    uint64_t last_owner;             /* L  the number of the thread that is the owner, or was the last one; 0: there was none yet */
    SQ__ATOMIC(sq__owner_t *) owner; /* L, read by anyone  the loop holds a reference; NULL: none */
} loop_t;
