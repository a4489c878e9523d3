/* act.c: what a thread or a task does next, and what a thread knows about itself. */
#include "storm.h"

atomic_bool is_over;

static atomic_uint submitters;
static _Thread_local self_t mine;

static chance_t chance_of(uint64_t submitter) {
    chance_t chance = { seed ^ (uint64_t)round_number << 40 ^ submitter << 20 };
    below(&chance, 2);
    return chance;
}

self_t *self(void) {
    if (mine.round != round_number) {
        mine = (self_t){ .round = round_number, .submitter = atomic_fetch_add(&submitters, 1) % SUBMITTERS };
        mine.chance = chance_of(mine.submitter);
    }
    return &mine;
}

bool is_inside(const self_t *me, int target) {
    for (int i = 0; i < me->depth && i < DEEPEST; i += 1) {
        for (const target_t *around = &targets[me->inside[i]]; around != NULL; around = around->onto) {
            if (around->number == target) {
                return true;
            }
        }
    }
    return false;
}

/* Tasks wait for queues at random, and so does the owner of the loop, for which the tasks of the loop wait. */
bool may_deadlock(const self_t *me) { return me->depth > 0 || me->owns_loop; }

sq_time_t patience(self_t *me, const target_t *target) {
    bool manual_inside = false; /* its thread runs the other tasks of the pool, too */
    for (int i = 0; i < me->depth && i < DEEPEST; i += 1) {
        manual_inside |= targets[me->inside[i]].place == MANUAL;
    }
    size_t width = root_of(target)->width; /* several tasks that wait may keep out by the width what they wait for: that is not found */
    bool is_wide = target->onto == NULL || width == 1 || width == SQ_WIDTH_POOL;
    bool may_be_endless = !manual_inside && !me->owns_loop && target->place != MANUAL && is_wide;
    uint64_t choices = me->depth > 0 ? 12 : 3;
    return may_be_endless && below(&me->chance, choices) == 0 ? SQ_FOREVER : soon(&me->chance);
}

/* How often each act is chosen. */
static const struct choice {
    part_t part;
    unsigned weight;
    void (*act)(self_t *me, target_t *target);
} choices[] = {
    { ASYNC, 240, act_async },      { WAITS, 180, act_wait },     { DEFERRED, 60, act_deferred }, { DELAYED, 30, act_delayed },
    { GROUP, 180, act_group },      { SEMAPHORE, 60, act_semaphore }, { ITEM, 90, act_item },     { TIMER, 50, act_timer },
    { SUSPEND, 12, act_suspend },   { SHUTDOWN, 3, act_shutdown }, { RELEASE, 40, act_release },  { WATCH, 6, act_watch },
    { ONCE, 30, act_once },         { APPLY, 20, act_apply },     { PARTS, 20, act_look },
};

static const struct choice *choose(chance_t *chance) {
    enum { COUNT = sizeof choices / sizeof choices[0] };
    unsigned all = 0;
    for (size_t i = 0; i < COUNT; i += 1) {
        all += choices[i].weight;
    }
    uint64_t left = below(chance, all);
    size_t i = 0;
    while (left >= choices[i].weight) {
        left -= choices[i].weight;
        i += 1;
    }
    return &choices[i];
}

void act(void) {
    self_t *me = self();
    target_t *target = &targets[below(&me->chance, (uint64_t)target_count)];
    const struct choice *choice = choose(&me->chance);
    totals.acts += 1;
    if (takes_part(choice->part)) {
        choice->act(me, target);
    }
}
