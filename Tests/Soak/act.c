/* act.c: what a driver does next, and what a task does while it has its queue. */
#include "soak.h"

#include <sched.h>
#include <string.h>
#include <time.h>

guard_t *queues[QUEUES];

static guard_t *any(chance_t *chance) { return queues[below(chance, QUEUES)]; }

/* Suspends a queue for a moment. Nothing in between waits: others may be waiting for this queue. */
static void suspend(chance_t *chance, unsigned lane) {
    guard_t *guard = any(chance);
    int above = QUEUES - 1 - guard->place;
    MUST(sq_suspend(guard->queue) == 0, "a suspend failed");
    for (uint64_t i = below(chance, 4); i > 0; i -= 1) {
        submit_any(guard, false, lane, chance, DEEPEST);
    }
    if (above > 0 && below(chance, 2)) {
        guard_t *higher = queues[guard->place + 1 + (int)below(chance, (uint64_t)above)];
        if (submit_to_resume(higher, TASK, lane, chance, DEEPEST, guard) == 0) {
            return;
        }
    }
    MUST(sq_resume(guard->queue) == 0, "a resume failed");
}

static void look(const guard_t *guard) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    size_t depth = sq_queue_depth(guard->queue);
    sq_queue_stats(guard->queue, &stats);
    MUST(stats.submitted >= stats.ran + stats.discarded, "more tasks ran than were submitted");
    MUST(depth <= guard->calls, "a depth of %zu after %llu calls", depth, (unsigned long long)guard->calls);
    MUST(stats.highest_depth >= stats.depth, "the highest depth is lower than the depth");
    MUST(strncmp(sq_queue_label(guard->queue), "fixed ", 6) == 0, "a queue has another label");
    sq_queue_release(sq_queue_retain(guard->queue));
}

void act(unsigned driver, chance_t *chance) {
    uint64_t what = below(chance, 1000);
    if (what < 600) {
        submit_any(any(chance), true, driver, chance, 0);
    } else if (what < 700) {
        many(chance);
    } else if (what < 740) {
        suspend(chance, driver);
    } else if (what < 790) {
        MUST(sq_current_queue() == NULL, "a current queue outside of any task");
        look(any(chance));
    } else if (what < 800) {
        watch_one(any(chance), chance);
    } else if (what < 960) {
        passing_use(driver, chance);
    } else if (what < 975) {
        passing_replace(chance);
    } else if (what < 990) {
        passing_storm(driver, chance);
    } else if (what < 993) {
        passing_threads(chance);
    } else if (what < 995) {
        timing(chance);
    } else if (what < 997) {
        deferring(chance);
    } else {
        circle(chance);
    }
    atomic_fetch_add_explicit(&totals.acts, 1, memory_order_relaxed);
}

static void never(void *context) {
    (void)context;
    violated("a function ran although its sync was refused");
}

static void note_inside(void *context) { *(bool *)context = true; }

/* Its own queue: a sync is refused, sync_or_run runs inside. */
static void come_back(guard_t *guard) {
    bool ran = false;
    guard->calls += 1;
    guard->errors += 1;
    int error = sq_sync(guard->queue, never, NULL);
    MUST(error == EDEADLK, "a sync onto the own queue returned %d", error);
    MUST(strstr(sq_deadlock_report(), "from its own task") != NULL, "no report of a sync onto the own queue");
    error = sq_sync_or_run(guard->queue, note_inside, &ran);
    MUST(error == 0 && ran, "sync_or_run in its own task returned %d", error);
}

static void suspend_own(ticket_t *ticket) {
    guard_t *guard = ticket->guard;
    MUST(sq_suspend(guard->queue) == 0, "a suspend failed in a task");
    submit(guard, TASK, lane_of_tasks(guard), &ticket->chance, DEEPEST);
    MUST(sq_resume(guard->queue) == 0, "a resume failed in a task");
}

/* A task of a queue of the round. Only queues with a higher number are waited for. */
static void act_in_fixed(ticket_t *ticket) {
    guard_t *guard = ticket->guard;
    unsigned lane = lane_of_tasks(guard);
    int above = QUEUES - 1 - guard->place;
    uint64_t what = below(&ticket->chance, 100);
    if (what < 20 && above > 0) {
        guard_t *higher = queues[guard->place + 1 + (int)below(&ticket->chance, (uint64_t)above)];
        submit_any(higher, true, lane, &ticket->chance, ticket->depth + 1);
    } else if (what < 35) {
        guard_t *other = any(&ticket->chance);
        if (what < 30 || sq_is_current(other->queue)) {
            submit(other, TASK, lane, &ticket->chance, ticket->depth + 1);
        } else {
            submit_any(other, false, lane, &ticket->chance, DEEPEST); /* a try that comes in must not wait from there */
        }
    } else if (what < 40) {
        come_back(guard);
    } else if (what < 43) {
        suspend_own(ticket);
    } else if (what < 45) {
        look(guard);
    } else if (what < 47) {
        sched_yield();
    } else if (what == 47 && below(&ticket->chance, 2000) == 0) {
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL); /* for the watchers */
    }
}

void act_in_task(ticket_t *ticket) {
    guard_t *guard = ticket->guard;
    MUST(sq_current_queue() == guard->queue, "another queue is current in a task");
    if (ticket->to_resume != NULL) {
        MUST(sq_resume(ticket->to_resume->queue) == 0, "a resume by a task failed");
    }
    if (guard->place >= 0 && ticket->depth < DEEPEST) {
        act_in_fixed(ticket);
    } else if (guard->may_refuse && below(&ticket->chance, 64) == 0) {
        int error = sq_shutdown(guard->queue, below(&ticket->chance, 2) ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
        MUST(error == EDEADLK, "a shutdown by the own task returned %d", error);
    }
}
