/* next.c: which thread continues.
 *
 * DESIGN. The options of a point are the threads that can run, deadlines that may pass, and disturbances. A reduced search has actors instead: the
 * threads, and time for each one that has a deadline. If no thread can run and none has a deadline, that is a lost wake-up or a deadlock. */
#include "threads.h"

#include <stdio.h>

static uint64_t now;
static unsigned expiries, spurious, forced;

enum { MOST_EXPIRIES = 6, MOST_SPURIOUS = 2, MOST_FORCED = 100 };

void ex_next_reset(void) {
    now = 1000;
    expiries = spurious = forced = 0;
}

uint64_t ex_now(void) { return ex_reducing ? ex_reduce_now(ex_current) : now; }

static bool is_runnable(const thread_t *thread);

static bool all_others_rest(const thread_t *one) {
    bool rest = true;
    for (unsigned i = 0; i < ex_thread_count && rest; i += 1) {
        rest = &ex_thread[i] == one || ex_thread[i].awaits_rest || !is_runnable(&ex_thread[i]);
    }
    return rest;
}

static bool is_runnable(const thread_t *thread) {
    const bool is_over = (thread->until != NULL && *thread->until == 0) || (thread->word != NULL && (*thread->word & ~thread->except) != thread->unchanged);
    return thread->awaits_rest ? all_others_rest(thread) : thread->standing == READY || (thread->standing == BLOCKED && is_over);
}

static void fail_stuck(void) {
    char text[300];
    size_t used = 0;
    for (unsigned i = 0; i < ex_thread_count && used < sizeof text; i += 1) {
        if (ex_thread[i].standing != DONE) {
            used += (size_t)snprintf(text + used, sizeof text - used, " T%u at %s;", i, ex_name_of(ex_thread[i].on));
        }
    }
    ex_fail("no thread can run (lost wake-up or deadlock):%s", used ? text : "");
}

/* The options at this point, the current thread first if it can run. */
static unsigned list_options(int who[], ex_cost_t costs[], uint8_t kinds[]) {
    enum { RUN, EXPIRE, WAKE, DRAIN };
    unsigned options = 0;
    bool can_run = is_runnable(&ex_thread[ex_current]);
    if (can_run) {
        who[options] = ex_current, costs[options] = EX_FREE, kinds[options++] = RUN;
    }
    for (unsigned i = 0; i < ex_thread_count; i += 1) {
        if ((int)i != ex_current && is_runnable(&ex_thread[i])) {
            who[options] = (int)i, costs[options] = can_run ? EX_PREEMPT : EX_FREE, kinds[options++] = RUN;
        }
    }
    bool stuck = options == 0;
    for (unsigned i = 0; i < ex_thread_count && options < EX_OPTIONS - 2; i += 1) {
        if (ex_thread[i].standing == BLOCKED && ex_thread[i].deadline != UINT64_MAX && (stuck || expiries < MOST_EXPIRIES)) {
            who[options] = (int)i, costs[options] = stuck ? EX_FREE : EX_EXPIRE, kinds[options++] = EXPIRE;
        }
        if (ex_thread[i].standing == BLOCKED && ex_thread[i].may_wake_spuriously && !stuck && spurious < MOST_SPURIOUS) {
            who[options] = (int)i, costs[options] = EX_DISTURB, kinds[options++] = WAKE;
        }
    }
    for (unsigned i = 0; ex_setting.memory == EX_TSO && !stuck && i < ex_thread_count && options < EX_OPTIONS; i += 1) {
        if (ex_has_buffer((int)i)) {
            who[options] = (int)i, costs[options] = EX_DISTURB, kinds[options++] = DRAIN;
        }
    }
    if (options == 0) {
        fail_stuck();
    }
    if (stuck && ++forced > MOST_FORCED) {
        ex_fail("nothing happens any more but that time passes");
    }
    return options;
}

/* Actors of a reduced search (reduce.h): the threads, and time for those that have a deadline. Each deadline may pass early, the first of a thread. If
 * nothing else can happen, time passes to the next deadline. */
static ex_actors_t list_actors(void) {
    ex_actors_t enabled = 0;
    int next = -1;
    for (unsigned i = 0; i < ex_thread_count; i += 1) {
        bool has_deadline = ex_thread[i].standing == BLOCKED && ex_thread[i].deadline != UINT64_MAX;
        enabled |= (ex_actors_t)is_runnable(&ex_thread[i]) << i;
        enabled |= (ex_actors_t)(has_deadline && !ex_thread[i].was_early) << (EX_THREADS + i);
        next = has_deadline && (next < 0 || ex_thread[i].deadline < ex_thread[next].deadline) ? (int)i : next;
    }
    if (enabled == 0 && next < 0) {
        fail_stuck();
    }
    if (enabled == 0) {
        if (++forced > MOST_FORCED) {
            ex_fail("nothing happens any more but that time passes");
        }
        ex_reduce_order_all(EX_THREADS + next);
        enabled = (ex_actors_t)1 << (EX_THREADS + next);
    }
    return enabled;
}

static void pick_actor(void) {
    int actor;
    while ((actor = ex_reduce_choose(list_actors(), ex_current)) >= EX_THREADS) {
        thread_t *late = &ex_thread[actor - EX_THREADS];
        ex_reduce_pass(actor, late->deadline);
        ex_reduce_order(actor, actor - EX_THREADS);
        ex_reduce_announce(actor - EX_THREADS, (ex_footprint_t){ 0 });
        late->was_early = late->expired = true;
        late->standing = READY;
        EX_TRACE("(time passes: T%d's deadline)", actor - EX_THREADS);
    }
    if (actor < 0) {
        ex_leave_run();
    }
    ex_thread[actor].standing = READY;
    ex_enter(actor);
}

void ex_next(void) {
    if (ex_reducing) {
        pick_actor();
        return;
    }
    int who[EX_OPTIONS];
    ex_cost_t costs[EX_OPTIONS];
    uint8_t kinds[EX_OPTIONS];
    unsigned options = list_options(who, costs, kinds);
    unsigned value = ex_choose_among(options, costs, who);
    thread_t *thread = &ex_thread[who[value]];
    switch (kinds[value]) {
    case 1:
        expiries += costs[value] != EX_FREE;
        now = thread->deadline > now ? thread->deadline : now;
        thread->expired = true;
        EX_TRACE("(time passes: T%d's deadline)", who[value]);
        break;
    case 2:
        spurious += 1;
        EX_TRACE("(T%d wakes up for no reason)", who[value]);
        break;
    case 3:
        ex_drain_one(who[value]);
        ex_next();
        return;
    default:
        break;
    }
    thread->standing = READY;
    ex_enter(who[value]);
}

void ex_await_others(void) {
    ex_thread[ex_current].awaits_rest = true;
    ex_point();
    ex_thread[ex_current].awaits_rest = false;
    ex_reduce_order_all(ex_current);
}
