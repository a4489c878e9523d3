/* soak.h: all public calls at once, from many threads, for any length of time.
 *
 * DESIGN. The run is cut into rounds. In each, DRIVERS threads act at random (act.c) on QUEUES queues that live as long as the
 * round, on passing queues that come and go (passing.c), and in circles: cycles of waits, one of which must be refused (circle.c).
 * Each queue has a guard that keeps book of what was accepted and what came of it (guard.c). Then the drivers end, what is left runs,
 * and the process must be back where it was: books that balance, no thread more, memory flat (round.c).
 *
 * No deadlock but the intended ones: a task waits only for queues with a higher number than its own. So whatever else
 * returns EDEADLK is a false alarm. A task that suspends a queue resumes it without waiting in between, or leaves that to a task
 * of a higher queue. */
#ifndef SOAK_H
#define SOAK_H

#include "serial_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { DRIVERS = 6, QUEUES = 8, PASSING = 4, LANES = DRIVERS + QUEUES, DEEPEST = 3 };

/* Random numbers: the same ones for the same seed, round and thread. */
typedef struct chance {
    uint64_t state;
} chance_t;
chance_t chance_of(uint64_t a, uint64_t b, uint64_t c);
uint64_t below(chance_t *chance, uint64_t limit);

/* Prints what was violated, and ends the process with 1. */
_Noreturn void violated(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define MUST(condition, ...) ((condition) ? (void)0 : violated(__VA_ARGS__))

/* One submitter's tasks in one queue: a driver's, or those that the tasks of a queue submit, one after the other. */
typedef struct lane {
    uint64_t numbers, accepted, accepted_hash; /* the submitter's */
    uint64_t last, met, met_hash;              /* the queue protects them */
} lane_t;

/* The book of one queue: what was submitted to it, and what became of that. */
typedef struct guard {
    sq_queue_t *queue;
    int place;                    /* among the queues of the round; -1: a passing one */
    bool is_bounded, may_refuse;  /* it may be shut down at any time */
    bool never_runs;              /* what it accepts must be discarded */
    atomic_int inside;            /* 1 while a task of it runs: two at once are an error */
    uint64_t turns;               /* plain: the queue protects it, as ThreadSanitizer can see */
    uint64_t ran, discarded;      /* the queue protects them */
    atomic_uint_fast64_t calls;   /* submissions, whatever came of them */
    atomic_uint_fast64_t errors;  /* those of them that returned an error */
    atomic_size_t users;          /* what uses this book: holders, and tasks that have not ended */
    lane_t lanes[LANES];
} guard_t;

/* A task. Async ones are on the heap, and own their ticket; the others lie on their caller's stack. */
typedef struct ticket {
    guard_t *guard;
    unsigned lane, depth;
    uint64_t number;
    chance_t chance;
    bool is_on_heap, has_run;
    pthread_t caller;
    enum { ANY_THREAD, CALLER, OTHER } where; /* on which thread it must run */
    guard_t *to_resume;                       /* a queue that it resumes; NULL: none */
} ticket_t;

/* guard.c */
guard_t *guard_create(const char *label, size_t capacity, int place, sq_pool_t *pool);
void guard_keep(guard_t *guard);
void guard_drop(guard_t *guard); /* the last one checks the book and frees it; the queue is not touched */
void guard_check_at_rest(guard_t *guard);
void ticket_begin(ticket_t *ticket, guard_t *guard, unsigned lane, chance_t *chance, unsigned depth);
void ticket_accepted(guard_t *guard, unsigned lane, uint64_t number);
void ticket_run(void *ticket);
void ticket_discard(void *ticket);
void ticket_pair(void *ticket, void *number, bool runs);
unsigned lane_of_tasks(const guard_t *guard);

/* call.c: one submission, at random among the calls there are, or by a certain one. `may_wait`: it may wait for the queue. */
typedef enum call { SYNC, SYNC_UNTIL, TRY, OR_RUN, ASYNC, TASK, PAIR, JOB, UNTIL, CALL, CALL_UNTIL, CALLS } call_t;
int submit(guard_t *guard, call_t call, unsigned lane, chance_t *chance, unsigned depth);
int submit_to_resume(guard_t *guard, call_t call, unsigned lane, chance_t *chance, unsigned depth, guard_t *to_resume);
int submit_any(guard_t *guard, bool may_wait, unsigned lane, chance_t *chance, unsigned depth);

/* act.c: what a driver does next; what a task does. */
extern guard_t *queues[QUEUES];
void act(unsigned driver, chance_t *chance);
void act_in_task(ticket_t *ticket);

/* passing.c */
void passing_begin(void);
void passing_use(unsigned driver, chance_t *chance);
void passing_replace(chance_t *chance);
void passing_storm(unsigned driver, chance_t *chance);
void passing_threads(chance_t *chance);
void passing_end(void);

/* circle.c, timing.c, deferring.c, watching.c */
void timing(chance_t *chance);
void deferring(chance_t *chance);
void circle(chance_t *chance);
void watch_one(guard_t *guard, chance_t *chance);
void watching_check(void); /* no queue is left */

/* dumping.c */
void dumping_begin(void);
uint64_t dumping_check(void); /* returns how many dumps there were so far */

/* many.c */
void many_begin(chance_t *chance);
void many(chance_t *chance);
void many_end(void);

/* What was done, for the lines and the summary. */
extern struct totals {
    atomic_uint_fast64_t tasks, discards, acts, circles, refusals, made, stalls, firings;
    atomic_size_t open_tasks; /* accepted or about to be, and not ended */
    atomic_size_t open_books; /* guards that exist */
} totals;

/* measure.c */
typedef struct figures {
    long threads, heap_kib, rss_kib, processors;
} figures_t;
figures_t measure(void);
bool memory_is_measured(void);

/* round.c */
sq_pool_t *any_pool(chance_t *chance); /* the shared one, one of the round, or NULL: the queue's own thread */
/* `threads`: before the first round. Returns for how many seconds tasks ran. */
double round_run(uint64_t seed, unsigned number, double seconds, long threads);
double seconds_now(void);
/* Tasks and notifications submit others: each counts as open before it is submitted, and what it submits before it has ended. */
void wait_until_nothing_is_open(const char *what, const atomic_size_t *open);

#endif
