/* points.c: the points before steps, and where a thread waits: blocked, at a gate, until it may begin. */
#include "threads.h"
#include "thread/self.h"

static struct { uint32_t is_shut; } gates[EX_VIEW_END - EX_VIEW_GATE];

void ex_points_reset(void) {
    for (unsigned i = 0; i < sizeof gates / sizeof gates[0]; i += 1) {
        gates[i].is_shut = true;
    }
}

/* The threads that this one has started begin when it does something else. */
static void let_begin(void) {
    for (unsigned i = 0; ex_setting.is_warm && !ex_thread[ex_current].is_starting && i < ex_thread_count; i += 1) {
        if (ex_thread[i].is_held && ex_thread[i].starter == ex_current) {
            ex_thread[i].is_held = 0;
            ex_reduce_order(ex_current, (int)i);
        }
    }
}

static void point(ex_footprint_t footprint) {
    ex_thread[ex_current].point = __builtin_frame_address(0);
    let_begin();
    ex_reduce_announce(ex_current, footprint);
    ex_step += 1;
    if (ex_step > EX_STEPS) {
        ex_fail("too many steps: livelock?");
    }
    ex_next();
}

void ex_point(void) { ex_point_at(NULL, EX_NOTHING); }
void ex_point_at(const void *object, ex_touch_t touch) { ex_point_at_both(object, touch, NULL, EX_NOTHING); }

void ex_point_at_both(const void *object, ex_touch_t touch, const void *other, ex_touch_t other_touch) {
    point((ex_footprint_t){ .at = { { object, touch }, { other, other_touch } } });
}

void ex_point_at_compare(const void *object, unsigned bytes, uint64_t expected) {
    point((ex_footprint_t){ .at = { { object, EX_WRITES } }, .compares = (uint8_t)bytes, .expected = expected });
}

bool ex_point_until(const uint32_t *until_zero, const void *object, ex_touch_t touch) {
    if (ex_reducing) {
        thread_t *me = &ex_thread[ex_current];
        me->standing = BLOCKED, me->on = object, me->until = until_zero, me->deadline = UINT64_MAX;
    }
    ex_point_at(object, touch);
    return ex_reducing;
}

void ex_point_until_changed(const uint64_t *word, uint64_t unchanged, uint64_t except) {
    thread_t *me = &ex_thread[ex_current];
    me->word = word, me->unchanged = unchanged, me->except = except;
    me->standing = BLOCKED, me->on = word, me->until = NULL, me->deadline = UINT64_MAX;
    ex_point_at(word, EX_AWAITS);
    me->word = NULL;
    (void)ex_load(word, *word, __ATOMIC_RELAXED); /* the newest value, as part of this step */
}

void ex_begin_at_rest(void) {
    if (ex_setting.is_warm) {
        ex_await_others();
    }
}

void ex_warm_begin(void) {
    if (ex_setting.has_warm_workers) {
        ex_reduce_in_one_order(true);
    }
}

void ex_warm_end(void) {
    if (ex_setting.has_warm_workers) {
        ex_await_others();
        ex_see_newest();
        ex_reduce_in_one_order(false);
    }
}

void ex_await_rest(void) {
    if (ex_reducing) {
        ex_await_others();
        ex_take_all_views();
    }
}

void ex_end_in_one_order(void) {
    if (ex_reducing) {
        ex_await_rest();
        ex_reduce_in_one_order(true);
    }
}

bool ex_block(const void *on, const uint32_t *until_zero, uint64_t deadline, bool may_wake_spuriously) {
    thread_t *me = &ex_thread[ex_current];
    while (ex_setting.memory == EX_TSO && ex_drain_one(ex_current)) {
    }
    let_begin();
    me->standing = BLOCKED;
    me->on = on;
    me->until = until_zero;
    me->deadline = deadline;
    me->may_wake_spuriously = may_wake_spuriously;
    me->expired = false;
    if (ex_reducing && deadline != UINT64_MAX) {
        ex_reduce_order(ex_current, EX_THREADS + ex_current);
        ex_reduce_announce(EX_THREADS + ex_current, (ex_footprint_t){ .at = { { on, EX_WRITES } } });
    }
    ex_next();
    return !me->expired;
}

bool ex_wake(const void *on) {
    for (unsigned i = 0; i < ex_thread_count; i += 1) {
        if (ex_thread[i].standing == BLOCKED && ex_thread[i].until == NULL && ex_thread[i].on == on) {
            ex_thread[i].standing = READY;
            ex_reduce_order(ex_current, (int)i);
            ex_reduce_announce((int)i, (ex_footprint_t){ 0 });
            EX_TRACE("wakes T%u", i);
            return true;
        }
    }
    return false;
}

void ex_gate_pass(unsigned gate) {
    (void)ex_point_until(&gates[gate].is_shut, &gates[gate], EX_AWAITS);
    while (gates[gate].is_shut) {
        ex_block(&gates[gate], NULL, UINT64_MAX, false);
    }
    ex_take_view(EX_VIEW_GATE + gate);
}

void ex_gate_open(unsigned gate) {
    ex_point_at(&gates[gate], EX_ENDS);
    ex_leave_view(EX_VIEW_GATE + gate);
    gates[gate].is_shut = false;
    while (ex_wake(&gates[gate])) {
    }
}

/* Threads of a scenario get their tokens one after the other, and begin when all of one starter have theirs. */
void ex_warm_up(void) {
    thread_t *me = &ex_thread[ex_current];
    (void)sq__self_token();
    ex_point_at(&me->is_cold, EX_ENDS);
    me->is_cold = 0;
    (void)ex_point_until(&me->is_held, &me->is_held, EX_AWAITS);
}

void ex_await_warm(int thread) {
    ex_thread[thread].is_cold = ex_thread[thread].is_held = 1;
    ex_thread[thread].starter = ex_current;
    ex_thread[ex_current].is_starting = true;
    (void)ex_point_until(&ex_thread[thread].is_cold, &ex_thread[thread].is_cold, EX_AWAITS);
    ex_thread[ex_current].is_starting = false;
}
