#include "explore/ways.h"

#include "alarm/alarm.h"
#include "explore/names.h"
#include "platform/container.h"
#include "platform/fatal.h"
#include "platform/memory.h"

#include <string.h>

/* The ways */

/* Adds a way to run->ways, of which there are *count. Returns false without memory: then the way is left out. */
static bool add(sq__run_t *run, size_t *count, sq__way_t way) {
    if (*count == run->way_room) {
        size_t room = 2 * run->way_room;
        sq__way_t *ways = sq__memory(room * sizeof *ways);
        if (ways == NULL) {
            return false;
        }
        memcpy(ways, run->ways, *count * sizeof *ways);
        sq__memory_free(run->ways);
        run->ways = ways;
        run->way_room = room;
    }
    run->ways[(*count)++] = way;
    return true;
}

static bool can_continue(const sq__thread_t *thread) {
    return thread->wait == NULL || !sq__token_is_open(thread->wait->token, thread->wait->wait_id);
}

/* Adds the threads that can stop waiting: first `me`, the one that chooses (NULL: none), then in the order in which they began to wait. */
static void add_threads(sq__run_t *run, const sq__thread_t *me, size_t *count) {
    if (me != NULL && can_continue(me)) {
        add(run, count, (sq__way_t){ .kind = SQ__WAY_THREAD, .what = me });
    }
    for (const sq__thread_t *thread = run->waiting; thread != NULL; thread = thread->next_waiting) {
        if (thread != me && can_continue(thread)) {
            add(run, count, (sq__way_t){ .kind = SQ__WAY_THREAD, .what = thread });
        }
    }
}

/* With the pool's lock: moves the entries that the last step has posted, which are the last of their line, to its front; but behind the entry of that
 * step. Not in a fair run. */
static void put_new_first(sq__run_t *run, sq__level_t level) {
    sq__ready_level_t *line = &sq__run_hosted(run)->ready.lines[level];
    sq__ready_t **front = &line->first;
    size_t new_ones = sq__run_is_fair(run) ? 0 : run->posted[level], count = 0;
    run->posted[level] = 0;
    if (*front != NULL && *front == run->put_back) {
        front = &(*front)->next;
    }
    for (const sq__ready_t *entry = *front; entry != NULL; entry = entry->next) {
        count += 1;
    }
    if (new_ones == 0 || new_ones >= count) {
        return;
    }
    sq__ready_t **split = front;
    for (size_t i = 0; i < count - new_ones; i += 1) {
        split = &(*split)->next;
    }
    sq__ready_t *first_new = *split;
    *line->end = *front;
    *front = first_new;
    *split = NULL;
    line->end = split;
}

enum { KINDS = SQ__WAY_EXPIRY + 1 };

/* Adds the ready queues, level by level. Takes the pool's lock. */
static void add_entries(sq__run_t *run, size_t *count) {
    unsigned first = sq__run_is_fair(run) ? (unsigned)(run->steps / KINDS) : SQ__LEVEL_HIGH;
    sq__mutex_lock(&sq__run_hosted(run)->lock);
    for (unsigned i = 0; i < SQ__LEVELS; i += 1) { /* threads could run queues of several levels at a time */
        sq__level_t level = (sq__level_t)((first + i) % SQ__LEVELS);
        put_new_first(run, level);
        for (const sq__ready_t *entry = sq__run_hosted(run)->ready.lines[level].first; entry != NULL; entry = entry->next) {
            add(run, count, (sq__way_t){ .kind = SQ__WAY_ENTRY, .what = entry });
        }
    }
    run->put_back = NULL;
    sq__mutex_unlock(&sq__run_hosted(run)->lock);
}

typedef struct ties {
    sq__run_t *run;
    size_t *count, first; /* how many ways there are; the first of the timers' ways */
    sq__way_kind_t kind;
} ties_t;

static bool was_set_before(const void *one, const void *other) {
    return ((const sq__alarm_t *)one)->due.order < ((const sq__alarm_t *)other)->due.order;
}

/* Visits an alarm (sq__alarms_next_ties): adds only the first timer of each queue: those of one queue fire in the order in which they were set, with
 * threads, too. */
static void add_tie(void *context, sq__alarm_t *alarm) {
    const ties_t *ties = context;
    const sq_queue_t *queue = sq__queue_of_alarm(alarm);
    size_t at = ties->first;
    while (at < *ties->count && sq__queue_of_alarm(ties->run->ways[at].what) != queue) {
        at += 1;
    }
    if (at == *ties->count) {
        if (!add(ties->run, ties->count, (sq__way_t){ .kind = ties->kind, .what = alarm })) {
            return;
        }
    } else if (!was_set_before(alarm, ties->run->ways[at].what)) {
        return;
    }
    sq__way_t *ways = ties->run->ways;
    for (; at > ties->first && was_set_before(alarm, ways[at - 1].what); at -= 1) {
        ways[at] = ways[at - 1];
    }
    ways[at].kind = ties->kind;
    ways[at].what = alarm;
}

/* The timers that are due; if nothing else is possible, or time passes, the next ones up to `until`. */
static void add_timers(sq__run_t *run, size_t *count, uint64_t until, bool passes) {
    sq__alarms_t *clock = sq__pool_clock(run->pool);
    uint64_t due = sq__alarms_next(clock);
    if (due == SQ__NEVER) {
        return;
    }
    bool is_due = due <= sq__alarms_now(clock);
    if (is_due || ((*count == 0 || passes) && due <= until)) {
        sq__alarms_next_ties(clock, add_tie, &(ties_t){ .run = run, .count = count, .first = *count,
                                                        .kind = is_due ? SQ__WAY_TIMER : SQ__WAY_CLOCK });
    }
}

/* Adds the waits that have a deadline and are not over. */
static void add_expiries(sq__run_t *run, size_t *count) {
    for (const sq__thread_t *thread = run->waiting; thread != NULL; thread = thread->next_waiting) {
        if (thread->deadline != SQ__NEVER && !can_continue(thread)) {
            add(run, count, (sq__way_t){ .kind = SQ__WAY_EXPIRY, .what = thread });
        }
    }
}

sq__pump_t *sq__ways_sleeping_pump(const sq__run_t *run) {
    sq__pump_t *pump = run->pumps;
    while (pump != NULL && !pump->is_asleep) {
        pump = pump->next;
    }
    return pump;
}

/* How far the clock may go. Less than now: not at all. A pump moves it if nothing else is possible; a fair run does so in its place. */
static uint64_t clock_limit(const sq__run_t *run, const sq__pump_t *pump) {
    const sq__pump_t *mover = pump != NULL ? pump : sq__ways_sleeping_pump(run);
    return mover == NULL ? SQ__NEVER - 1 : pump != NULL || sq__run_is_fair(run) ? mover->until : 0;
}

/* Counts a step of the run. Fails the run if there have been too many, and ends the process if it does not end then. */
static void count_step(sq__run_t *run) {
    run->steps += 1;
    if (run->steps > 2 * run->most_steps + 1000000) {
        sq__fatal("sq_explore: the test does not end, although it has failed and all its waits are refused: %s",
                  run->failure != NULL ? run->failure : "");
    }
    if (run->steps > run->most_steps && !run->is_endless) {
        run->is_endless = true;
        char *message = sq__format_text("no end: more than %llu steps", (unsigned long long)run->most_steps);
        sq__run_fail(run, message != NULL ? message : "no end");
        sq__memory_free(message);
    }
}

/* Puts the ways of one kind in front, another kind at each step. They are in the order of their kinds. */
static void take_turns(sq__run_t *run, size_t count) {
    size_t first = 0;
    while (first < count && run->ways[first].kind < run->steps % KINDS) {
        first += 1;
    }
    for (; first > 0 && first < count; first -= 1) {
        sq__way_t way = run->ways[0];
        memmove(run->ways, run->ways + 1, (count - 1) * sizeof way);
        run->ways[count - 1] = way;
    }
}

bool sq__ways_choose(sq__run_t *run, const sq__pump_t *pump, const sq__thread_t *me, sq__way_t *way) {
    size_t count = 0;
    count_step(run);
    bool is_fair = sq__run_is_fair(run);
    add_threads(run, is_fair ? NULL : me, &count);
    if (!run->is_endless) {
        add_entries(run, &count);
        add_timers(run, &count, clock_limit(run, pump), is_fair);
        if (pump != NULL && count == 0 && !pump->is_single && !run->is_ending) {
            add(run, &count, (sq__way_t){ .kind = SQ__WAY_BACK, .what = pump });
        }
        if (count > 0 || pump != NULL || sq__ways_sleeping_pump(run) == NULL) {
            add_expiries(run, &count);
        }
    }
    if (count == 0) {
        run->steps -= pump != NULL && pump->is_single; /* a test framework that waits for something from outside asks again and again */
        return false;
    }
    if (is_fair) {
        take_turns(run, count);
    }
    size_t chosen = sq__choose_way(&run->chooser, is_fair ? NULL : run->ways, count);
    *way = run->ways[chosen];
    if (chosen > 0 && run->record.is_on) {
        sq__record_unusual(&run->record, sq__name_way(run, &run->ways[0]));
    }
    return true;
}

/* The pool's list */

static sq__level_t level_of(const sq__ready_t *entry) { return sq__queue_level(SQ__CONTAINER(entry, const sq_queue_t, ready)); }

void sq__ways_take(sq__run_t *run, const sq__ready_t *entry) {
    sq__level_t level;
    (void)sq__hosted_take(sq__run_hosted(run), (sq__ready_t *)(uintptr_t)entry, &level);
}

void sq__ways_put_back(sq__run_t *run, sq__ready_t *entry) {
    sq__hosted_t *hosted = sq__run_hosted(run);
    sq__mutex_lock(&hosted->lock);
    sq__hosted_put(hosted, level_of(entry), entry, sq__run_is_fair(run));
    if (!sq__run_is_fair(run)) {
        run->put_back = entry;
    }
    sq__mutex_unlock(&hosted->lock);
}
