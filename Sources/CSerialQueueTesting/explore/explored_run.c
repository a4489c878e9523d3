#include "explore/explored_run.h"

#include "alarm/alarm.h"
#include "explore/control.h"
#include "explore/names.h"
#include "explore/pump.h"
#include "include/sq_pool.h"
#include "include/sq_shutdown.h"
#include "platform/container.h"
#include "platform/memory.h"
#include "platform/text.h"
#include "platform/thread.h"
#include "queue/queue.h"
#include "runner/hosted.h"
#include "runner/manual.h"
#include "runner/runner_inline.h"

#include <errno.h>
#include <string.h>

/* The pool of a run: another kind of manual pool. `run` is NULL once the run is over, and then it is an ordinary one. */
typedef struct explored_pool {
    sq__manual_t manual; /* the first field */
    sq__run_t *run;      /* under the pool's lock */
} explored_pool_t;

static sq__run_t *run_of(sq__runner_t runner) { return ((const explored_pool_t *)sq__runner_object(runner))->run; }

/* Pumps */

/* sq_pool_advance for the pool of a run: returns how many tasks ran. On a thread that does not belong to the run: 0, and nothing is done. */
static size_t run_pool(sq__run_t *run, uint64_t until) {
    sq__thread_t *thread = sq__run_thread();
    sq__alarms_t *clock = sq__pool_clock(run->pool);
    if (thread == NULL || thread->run != run) {
        sq__mutex_lock(&sq__run_hosted(run)->lock);
        sq__run_outside(run, "a thread that does not belong to the test tried to run its pool");
        sq__mutex_unlock(&sq__run_hosted(run)->lock);
        return 0;
    }
    size_t before = run->ran;
    sq__pump_run(run, (sq__pump_t){ .thread = thread, .until = until });
    if (!run->is_endless && sq__alarms_next(clock) > until) {
        (void)sq__alarms_advance(clock, until); /* no alarm is due before `until`: only the clock moves */
    }
    return run->ran - before;
}

bool sq__run_step(sq__run_t *run, bool moves_clock) {
    uint64_t until = moves_clock ? SQ__NEVER - 1 : sq__alarms_now(sq__pool_clock(run->pool));
    return sq__pump_run(run, (sq__pump_t){ .thread = &run->test, .until = until, .is_single = true });
}

/* With the pool's lock: counts an entry that was posted, and notes it if the thread does not belong to the run. */
static void posted(sq__run_t *run, const sq__ready_t *entry) {
    const sq__thread_t *thread = sq__run_thread();
    run->posted[sq__queue_level(SQ__CONTAINER(entry, const sq_queue_t, ready))] += 1;
    if (thread == NULL || thread->run != run) {
        char name[16];
        sq__thread_name(name, sizeof name);
        bool is_started = strcmp(name, SQ__EXPLORE_THREAD) == 0;
        sq__run_outside(run, "thread%s%s%s (%llu), which %s, submitted a task to queue \"%s\"", is_started ? "" : " \"", is_started ? "" : name,
                        is_started ? "" : "\"", (unsigned long long)sq__thread_id(),
                        is_started ? "the test has started" : "does not belong to the test",
                        SQ__CONTAINER(entry, sq_queue_t, ready)->label);
    }
}

/* The pool's `post`, also of an ordinary pool once the run is over. Takes the pool's lock. */
static void post(sq__runner_t runner, sq__ready_t *entry) {
    sq__hosted_t *hosted = sq__runner_object(runner);
    sq__mutex_lock(&hosted->lock);
    sq__hosted_put(hosted, sq__runner_level(runner), entry, true);
    if (run_of(runner) != NULL) {
        posted(run_of(runner), entry);
    }
    sq__mutex_unlock(&hosted->lock);
}

/* The pool's `run`. False during a run: the schedule decides what runs while a thread waits. */
static bool run_entry(sq__runner_t runner, sq__caller_run_t *caller_run, bool runs) {
    return run_of(runner) == NULL && sq__manual_kind.run(runner, caller_run, runs);
}

static size_t advance(sq__runner_t runner, uint64_t until) {
    sq__run_t *run = run_of(runner);
    return run != NULL ? run_pool(run, until) : sq__manual_kind.advance(runner, until);
}

static sq__runner_kind_t kind;

static __attribute__((constructor)) void make_kind(void) {
    kind = sq__manual_kind;
    kind.post = post;
    kind.run = run_entry;
    kind.advance = advance;
}

static void explore(const sq_pool_t *pool, sq__run_t *run) {
    explored_pool_t *explored = (explored_pool_t *)(uintptr_t)pool;
    sq__mutex_lock(&explored->manual.hosted.lock);
    explored->run = run;
    sq__mutex_unlock(&explored->manual.hosted.lock);
}

/* Waits */

/* Puts the thread, which is not on the list of waiting threads, at its end. */
static void append_waiting(sq__thread_t *thread) {
    sq__thread_t **link = &thread->run->waiting;
    while (*link != NULL) {
        link = &(*link)->next_waiting;
    }
    thread->next_waiting = NULL;
    *link = thread;
}

static void remove_waiting(sq__thread_t *thread) {
    sq__thread_t **link = &thread->run->waiting;
    while (*link != thread) {
        link = &(*link)->next_waiting;
    }
    *link = thread->next_waiting;
}

/* Adds to the record, which is on, what the thread is doing; with the name of the function, if it has one. */
static void record_pause(sq__thread_t *thread, const char *doing, const char *label, sq_function_t function) {
    const char *name = sq__name_called(thread->run, (sq__called_t){ .function = function });
    if (label == NULL || (label[0] == '\0' && name[0] == '\0')) {
        sq__record_add(&thread->run->record, SQ__EVENT_HAPPENS, thread->column, "%s", doing);
    } else {
        sq__record_add(&thread->run->record, SQ__EVENT_HAPPENS, thread->column, "%s \"%s\"%s%s", doing, label,
                       name[0] != '\0' ? ": " : "", name);
    }
}

void sq__run_pause(sq__thread_t *thread, const char *doing, const char *label, sq_function_t function) {
    sq__run_t *run = thread->run;
    if (thread->explored.is_lost) {
        return;
    }
    thread->wait = NULL;
    thread->deadline = SQ__NEVER;
    append_waiting(thread);
    bool others_came = sq__control_wait(thread);
    remove_waiting(thread);
    if (run->record.is_on && doing != NULL) {
        record_pause(thread, doing, label, function);
    } else if (run->record.is_on && others_came) {
        sq__record_add(&run->record, SQ__EVENT_CONTINUES, thread->column, "continues");
    }
}

static void pause_here(sq__explored_t *explored, const char *doing, const char *label, sq_function_t function) {
    sq__run_pause((sq__thread_t *)explored, doing, label, function);
}

/* True: it waits for a queue that is not on the pool, so a thread outside of the run will end the wait. */
static bool is_outside(const sq__run_t *run, const sq__wait_t *wait) {
    return wait->queue != NULL && sq__runner_object(wait->runner) != run->pool;
}

/* In place of sq__token_sleep (sq__explored_calls_t), for the thread in control, which has control again on return. Never returns SQ__OPEN for a wait
 * in the run. */
static sq__outcome_t sleep_in_run(sq__explored_t *explored, const sq__wait_t *wait, uint64_t deadline) {
    sq__thread_t *thread = (sq__thread_t *)explored;
    sq__run_t *run = thread->run;
    sq__outcome_t outcome = SQ__OPEN;
    if (is_outside(run, wait)) {
        sq__mutex_lock(&sq__run_hosted(run)->lock);
        sq__run_outside(run, "the test waited for queue \"%s\", which is not on its pool", wait->queue->label);
        sq__mutex_unlock(&sq__run_hosted(run)->lock);
        return sq__token_sleep(wait->token, wait->wait_id, deadline);
    }
    thread->wait = wait;
    thread->deadline = deadline;
    run->has_waited |= thread->queue != NULL;
    append_waiting(thread);
    if (run->record.is_on) {
        char *what = sq__name_wait(thread);
        sq__record_add(&run->record, SQ__EVENT_WAITS, thread->column, "waits for %s", what != NULL ? what : "?");
        sq__memory_free(what);
    }
    while (outcome == SQ__OPEN) {
        if (run->is_endless) {
            (void)sq__control_refuse_all(run);
        }
        (void)sq__control_wait(thread);
        outcome = sq__token_withdraw(wait->token, wait->wait_id);
        thread->deadline = SQ__NEVER; /* if it is open, its call has begun, and the deadline limits only the wait until then */
    }
    remove_waiting(thread);
    thread->wait = NULL;
    sq__record_add(&run->record, SQ__EVENT_CONTINUES, thread->column, "%s",
                   outcome == SQ__GRANTED ? "continues" : outcome == SQ__REFUSED ? "is refused" : "its wait expires");
    return outcome;
}

static void report_deadlock(sq__explored_t *explored, const char *report) {
    sq__run_fail(((sq__thread_t *)explored)->run, report);
}

/* Labels */

void sq__run_label(sq__thread_t *thread, const char *label) {
    if (thread->run->record.is_on && thread->queue != NULL) {
        sq__text_copy(thread->name, sizeof thread->name, label);
        sq__record_rename(&thread->run->record, thread->event, label);
    }
}

static void label_here(sq__explored_t *explored, const char *label) { sq__run_label((sq__thread_t *)explored, label); }

/* Begin and end */

int sq__run_begin(sq__run_t *run, const char *name) {
    static const sq__explored_calls_t calls = { .pause = pause_here, .sleep = sleep_in_run, .deadlock = report_deadlock, .label = label_here };
    sq__self_t *self = sq__self_listed();
    if (run->test.token == NULL && (run->test.token = sq__token_acquire()) == NULL) {
        return ENOMEM;
    }
    if (run->ways == NULL) { /* before the test begins: one that waits could not be ended without a way */
        run->way_room = 16;
        run->ways = sq__memory(run->way_room * sizeof *run->ways);
        if (run->ways == NULL) {
            return ENOMEM;
        }
    }
    run->test.explored = (sq__explored_t){ .calls = &calls };
    run->test.run = run;
    if (run->uses_helpers && !sq__control_has_helper(run)) {
        return ENOMEM;
    }
    int error = sq__manual_create_kind(&run->pool, sizeof(explored_pool_t), &kind, name, sq__run_queue);
    if (error) {
        return error;
    }
    sq__memory_free(run->failure);
    run->failure = NULL;
    run->has_failed = run->is_endless = run->is_ending = run->has_command = false;
    run->name = name;
    memset(run->posted, 0, sizeof run->posted);
    run->put_back = NULL;
    run->steps = 0;
    run->ran = 0;
    run->outside = 0;
    run->test.frame = (sq__frame_t){ .begins = true, .parent = self->frame };
    run->test.column = sq__record_column(&run->record, NULL, "test");
    for (sq__thread_t *helper = run->helpers; helper != NULL; helper = helper->next) {
        helper->explored.is_lost = false;
    }
    self->explored = &run->test.explored;
    self->frame = &run->test.frame;
    explore(run->pool, run);
    return 0;
}

static void discard_queue(sq_queue_t *queue) {
    sq_queue_retain(queue); /* keeps it while it has tasks, even if the test has released it */
    int error = sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW);
    (void)error; /* it is over when the pool has been run */
    sq_queue_release(queue);
}

/* Discards the tasks that an endless run has left: they would submit further ones. */
static void discard_rest(sq__run_t *run) {
    sq__runner_t pool = sq__runner(run->pool, SQ__LEVEL_NORMAL);
    for (sq__level_t level = SQ__LEVEL_HIGH; level < SQ__LEVELS; level += 1) {
        for (sq__ready_t *next, *entry = sq__run_hosted(run)->ready.lines[level].first; entry != NULL; entry = next) {
            next = entry->next;
            discard_queue(SQ__CONTAINER(entry, sq_queue_t, ready));
        }
    }
    sq__caller_run_t any = { .entry = NULL };
    for (unsigned i = 0; i < 1000 && sq__hosted_run(pool, &any, true); i += 1) {
    }
}

static void run_rest(sq__run_t *run) {
    uint64_t now = sq__alarms_now(sq__pool_clock(run->pool));
    sq__pump_run(run, (sq__pump_t){ .thread = &run->test, .until = now, .is_last = true });
}

void sq__run_end(sq__run_t *run) {
    sq__self_t *self = sq__self();
    run->is_ending = true;
    run_rest(run);
    while (run->waiting != NULL) {
        sq__control_get_unstuck(run);
        run_rest(run);
    }
    explore(run->pool, NULL);
    self->explored = NULL;
    self->frame = run->test.frame.parent;
    if (run->is_endless) {
        discard_rest(run);
    }
    sq_pool_release(run->pool);
    run->pool = NULL;
}

void sq__run_free(sq__run_t *run) {
    for (sq__thread_t *next, *helper = run->helpers; helper != NULL; helper = next) {
        next = helper->next;
        sq__worker_stop(helper->worker);
        sq__token_recycle(helper->token);
        sq__memory_free(helper);
    }
    if (run->test.token != NULL) {
        sq__token_recycle(run->test.token);
    }
    sq__chooser_free(&run->chooser);
    sq__record_free(&run->record);
    sq__functions_free(&run->functions);
    sq__memory_free(run->failure);
    sq__memory_free(run->ways);
}
