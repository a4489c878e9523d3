/* storm.h: all kinds of objects at once, under an oracle of its own.
 *
 * DESIGN. The run is cut into rounds. A round makes queues of all kinds (queues.c) and groups, semaphores, timers; its actors, the tasks
 * themselves, the owner of a loop and a thread that runs a manual pool then act at random (act.c). Meanwhile one thread dumps, one
 * records traces (observe.c) and one forks (fork.c). The round ends with the shutdown of every queue, and with the books (round.c).
 *
 * Each accepted task has a record (book.c), which its function, its discard function and its submitter write. What is checked:
 *
 *     one outcome    a task runs or is discarded, once; not at all after an error, a withdrawal or a cancellation
 *     order          serial queues: the numbers of each submitter go up. A submitter is a thread in one round
 *     exclusion      serial queues and barriers run alone; readers never next to a barrier; async readers up to the width
 *     zero           a wait, await or notification of a group comes after the end of all members that were accepted before it
 *     permits        the holders of a semaphore are never more than its permits; all permits are there in the end
 *     timers         no firing during or after a successful cancel-and-wait, one firing at a time, one discard, after the last of them
 *     suspension     a suspended serial queue starts one more task at most, those of queues whose target it is included
 *     targets        a task of a queue with targets is one of theirs, too: they exclude it from what they exclude, and are current
 *     the end        a drain ends everything before it returns; after the round nothing waits, runs, or is alive
 *
 * Waits may be refused with EDEADLK in tasks, as tasks wait for queues at random; a thread outside of tasks must not get it. Nothing
 * depends on how fast anything is: a watchdog ends a phase of a round that makes no progress for two minutes.
 *
 * A part can be left out (STORM_WITHOUT, or all others with STORM_ONLY), to find out which ones a failure needs. */
#ifndef STORM_H
#define STORM_H

#include "serial_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES = 14, AIMED = 4, RECORDS = 6000, SUBMITTERS = 4096, GROUPS = 4, SEMAPHORES = 3, TIMERS = 5, DEEPEST = 60 };

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND UINT64_C(1000000)

/* main.c */
typedef struct chance {
    uint64_t state;
} chance_t;
uint64_t below(chance_t *chance, uint64_t limit);
void yield_for(chance_t *chance); /* a moment: nothing, a yield, or some microseconds */
sq_time_t soon(chance_t *chance); /* a deadline that is up to 20 ms away */

/* Prints what was violated and a dump, and ends the process with 1. */
_Noreturn void violated(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define MUST(condition, ...) ((condition) ? (void)0 : violated(__VA_ARGS__))

/* What a storm consists of. */
typedef enum part { ASYNC, WAITS, DEFERRED, DELAYED, GROUP, SEMAPHORE, ITEM, TIMER, SUSPEND, SHUTDOWN, RELEASE, WATCH, ONCE, APPLY, TARGET,
                    DUMP, TRACE, FORK, PARTS } part_t;
bool takes_part(part_t part);

extern struct totals {
    atomic_uint_fast64_t acts, tasks, discards, refusals, timeouts, cancellations, firings, releases, dumps, traces, forks, late;
} totals;
extern atomic_uint round_number;
extern uint64_t seed;

/* queues.c */
typedef enum place { OWN_THREAD, SHARED, PRIVATE, LOOP, MANUAL, PLACES } place_t;
typedef struct target {
    sq_queue_t *queue;
    place_t place;
    int number;
    size_t width, capacity;
    struct target *onto;                    /* the queue's target; NULL: none. `place` is then that of its target */
    bool is_measured;                       /* its histograms are on all the time */
    atomic_bool is_shut, discards;          /* a shutdown has begun; one of them discards */
    atomic_int alone, readers, async_readers, late; /* which run now */
    atomic_uint_fast64_t starts;
    atomic_int watchers;                    /* that were not discarded */
    uint64_t last[SUBMITTERS];              /* the queue protects it */
} target_t;
extern target_t targets[QUEUES];
extern int target_count;
extern sq_pool_t *private_pool, *loop, *manual;
extern sq_queue_t *helper; /* what must happen later is left to it; none of its tasks waits */
extern atomic_int left_to_helper;
void queues_begin(chance_t *chance);
void queues_shut_down(chance_t *chance);
void queues_end(void);
static inline bool is_serial(const target_t *target) { return target->width == 1; }
static inline const target_t *root_of(const target_t *target) {
    while (target->onto != NULL) {
        target = target->onto;
    }
    return target;
}
sq_queue_t *queue_of_any_kind(const char *label, chance_t *chance); /* that needs no thread of the storm */

/* book.c */
typedef enum state { OPEN, ACCEPTED, REJECTED, WITHDRAWN, UNSUBMITTED } state_t;
typedef struct record {
    target_t *target;
    const char *call;
    unsigned submitter;
    uint64_t number;
    int group;                    /* that it is a member of; -1: none */
    bool is_barrier, waits;       /* `waits`: its submitter waits for it */
    bool is_unordered;            /* it may run later than its submitter's next task */
    bool has_no_discard;          /* it may vanish in a discarding shutdown */
    bool may_be_late;             /* sq_sync_or_run: it also runs after the end of the queue */
    bool is_entry;                /* a member that entered a group: no task */
    atomic_int runs, discards, ended, state, decided;
    atomic_uint_fast64_t accepted_at;
    sq_deferred_t deferred;
    void *memory;                 /* freed by the outcome: a leak or a double free is one too few or too many */
} record_t;
void book_begin(void);
void book_end(void);
bool book_is_full(void);
record_t *book_new(target_t *target, const char *call);
void book_accepted(record_t *record);
/* `may_deadlock`: EDEADLK is an answer. */
void book_refused(record_t *record, int error, bool may_deadlock);
void book_answer(record_t *record, int error, bool may_deadlock); /* one of the two above */
void book_withdrawn(record_t *record);
void book_unsubmitted(record_t *record);
uint64_t book_now(void);
void book_check_zero(int group, uint64_t before);
void book_check_drained(const target_t *target, uint64_t before);
/* A task begins and ends; `has_width`: it counts towards the width of a concurrent queue. */
void target_enter(target_t *target, const char *call, bool is_alone, bool has_width);
void target_leave(target_t *target, bool is_alone, bool has_width);
/* The three forms that a task can have. */
void task_run(void *record);
void task_discard(void *record);
void task_pair(void *record, void *target, bool runs);

/* act.c. What a thread knows about itself; it begins anew in each round. */
typedef struct self {
    unsigned round, submitter;
    bool owns_loop;
    int depth;                    /* how many tasks it is inside of */
    int inside[DEEPEST];
    uint64_t numbers[QUEUES];
    chance_t chance;
} self_t;
self_t *self(void);
bool is_inside(const self_t *me, int target);
bool may_deadlock(const self_t *me);
sq_time_t patience(self_t *me, const target_t *target); /* a deadline for a wait: sometimes none */
void act(void);
extern atomic_bool is_over;

/* submit.c, wait.c, control.c, group.c, semaphore.c, item.c, timer.c, release.c: one act each, on a target chosen before. */
void act_async(self_t *me, target_t *target);
void act_delayed(self_t *me, target_t *target);
void act_deferred(self_t *me, target_t *target);
void act_wait(self_t *me, target_t *target);
void act_suspend(self_t *me, target_t *target);
void act_shutdown(self_t *me, target_t *target);
void act_watch(self_t *me, target_t *target);
void act_look(self_t *me, target_t *target);
void act_group(self_t *me, target_t *target);
void act_semaphore(self_t *me, target_t *target);
void act_item(self_t *me, target_t *target);
void act_timer(self_t *me, target_t *target);
void act_release(self_t *me, target_t *target);
void act_once(self_t *me, target_t *target);
void act_apply(self_t *me, target_t *target);

extern sq_group_t *groups[GROUPS];
extern atomic_int open_notes; /* notifications and awaits that have not ended */
void groups_begin(void);
void groups_check_zero(void);
void groups_end(void);

void notify_item(sq_item_t *item, const record_t *record, target_t *target);

/* await.c. A wait without a thread. */
typedef struct await {
    sq_await_t wait;
    atomic_int users; /* the thread that made it, and the wait */
    int group, semaphore;
    uint64_t before;
    sq_item_t *item;
    record_t *record;
} await_t;
await_t *await_new(void (*ended)(sq_await_t *wait));
void await_started(await_t *await, int error, bool (*withdraw)(await_t *await), self_t *me);
void await_drop(await_t *await);

extern sq_semaphore_t *semaphores[SEMAPHORES];
void semaphores_begin(chance_t *chance);
void semaphores_release_waits(void);
void semaphores_check(void);
void semaphores_end(void);

void timers_begin(chance_t *chance);
void timers_cancel(chance_t *chance);
void timers_end(void);
void release_end(void);

/* observe.c, fork.c, drivers.c: the threads of a round. */
void observers_begin(void);
void observers_end(void);
void forks_begin(void);
void forks_end(void);
void drivers_run(chance_t *chance); /* the actors, until the last one ends */
void drivers_end(void);
void wait_until_zero(const char *what, const atomic_int *count);

/* round.c */
void round_run(chance_t *chance);

#endif
