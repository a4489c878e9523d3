/* spin.h: how long a thread looks whether its wait is over, before it sleeps.
 *
 * DESIGN. A look costs processor time; a sleep costs a wake-up of 2 to 25 microseconds. A look pays as long as another processor
 * runs the awaited thread. It does not pay on one processor, on a busy machine, or when the awaited thread waits for
 * this processor; and all that can change at any time. So each thread keeps a record per kind of look. After a look
 * that found nothing it skips the next ones of that kind: 1, 3, 7, up to 63 in a row while looks find nothing. A runner skips up to 255, and seven of eight
 * looks after those are an eighth as long: while it looks at one queue, others wait for its thread, or wake another one. On one processor all pauses of
 * these kinds are skipped.
 *
 * A useless yield is far more expensive: on a busy machine it gives a whole time slice to another program. So every yield is
 * timed. After one that was long, the next ones also measure the processor time of this process. A long yield of which
 * this process used less than half is a miss. After a miss no thread of the process yields for 10 ms, and for four times
 * as long after each further miss that comes soon, up to a second.
 *
 * The counts below, of pauses and yields, gave the best measurements in Documentation/Performance.md.
 * Builds for tests and measurements set others. */
#pragma once

#include <stdbool.h>

/* A caller before it takes a slot in the ring: pauses, then yields. The most pauses between two of its looks; also those of a reader
 * that found the gate open, but another thread faster: that one may enter and leave a few more times. */
#ifndef SQ__EARLY_SPINS
#define SQ__EARLY_SPINS 60
#endif
#ifndef SQ__EARLY_GAP
#define SQ__EARLY_GAP 16
#endif
#ifndef SQ__EARLY_YIELDS
#define SQ__EARLY_YIELDS 8
#endif
/* A submitter that lost a swap of the state word to another one: pauses the first time, and the most. */
#ifndef SQ__LOSER_SPINS
#define SQ__LOSER_SPINS 64u
#endif
#ifndef SQ__LOSER_SPINS_MOST
#define SQ__LOSER_SPINS_MOST 1024u
#endif
/* A caller that waits in its slot: pauses, then yields. */
#ifndef SQ__WAITER_SPINS
#define SQ__WAITER_SPINS 60
#endif
/* More pauses for each processor beyond two, as each may run a caller that is ahead in line. Once callers sleep, each turn takes a wake-up, and
 * those behind sleep as well (Documentation/Performance.md). */
#ifndef SQ__WAITER_SPINS_EACH
#define SQ__WAITER_SPINS_EACH 40
#endif
#ifndef SQ__WAITER_YIELDS
#define SQ__WAITER_YIELDS 40
#endif
/* A worker without work: pauses; then it yields once, if its last sleep began fewer nanoseconds ago. */
#ifndef SQ__WORKER_SPINS
#define SQ__WORKER_SPINS 1200
#endif
#ifndef SQ__BRIEF_SLEEP
#define SQ__BRIEF_SLEEP 20000
#endif
/* A runner that has caught up with its submitters, before it gives the baton back. */
#ifndef SQ__RUNNER_SPINS
#define SQ__RUNNER_SPINS 400
#endif
/* A caller that only tries, while the runner lingers. */
#ifndef SQ__TRY_SPINS
#define SQ__TRY_SPINS 400
#endif
/* Nanoseconds. If a yield takes longer, another thread has used the processor. */
#ifndef SQ__LONG_YIELD
#define SQ__LONG_YIELD 100000
#endif

typedef enum sq__spin {
    SQ__SPIN_WAITER,       /* a caller's pauses */
    SQ__SPIN_WORKER,       /* a worker's pauses */
    SQ__SPIN_WORKER_YIELD, /* a worker's yield */
    SQ__SPIN_RUNNER,       /* a runner's pauses */
    SQ__SPIN_TRY,          /* the pauses of a caller that only tries */
    SQ__SPIN_KINDS
} sq__spin_t;

/* How often to look now: `most` times, or 0 times. Uses the calling thread's record. */
unsigned sq__spin_begin(sq__spin_t kind, unsigned most);

/* Called after the looks, unless sq__spin_begin returned 0. `found`: the wait is over. */
void sq__spin_end(sq__spin_t kind, bool found);

/* If the thread's last look of this kind has found something, that was no gain: it counts as a look that found nothing. */
void sq__spin_was_vain(sq__spin_t kind);

/* Pauses before the next look at a word that other threads want as well, each time for about twice as long: a look takes the word's line
 * from the thread that has it. `paused`: how many pauses there were, 0 at first. False: there were SQ__EARLY_SPINS. */
bool sq__spin_early(unsigned *paused);

/* Pauses, as another submitter has changed the word first: that one makes a few more submissions meanwhile, in lines that it has. `pauses`: what the last
 * call for this submission returned, 0 at first. Each call pauses for twice as long. */
unsigned sq__spin_back_off(unsigned pauses);

/* How many pauses a caller takes in its slot, on these processors. */
unsigned sq__spin_waiter_pauses(unsigned processors);

/* Yields the processor to other threads. False: it did not, because yields do not pay at present. */
bool sq__spin_yield(void);

/* Before a wait's first yield. True: many waits in a row were over after that, so the awaited thread runs on this processor, and each turn takes two
 * changes of threads, although another one may idle. The thread is to sleep instead: one that is woken gets an idle processor. True once in
 * 64 such waits; if that does not help, in 128 and so on, up to 4,096. */
bool sq__spin_shares_processor(void);

/* After the yields: the wait was over after so many; 0: it was not. */
void sq__spin_yielded(unsigned yields);
