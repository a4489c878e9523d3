/* release.c: tasks that release the last reference: to their item, group, timer or queue, while the call that submitted them returns.
 *
 * DESIGN. A gift is the only one to know its objects; its task releases them. The submitter does not touch them after a successful call. */
#include "storm.h"

typedef struct gift {
    sq_item_t *item;
    sq_group_t *group;
    sq_queue_t *queue;
    sq_timer_t *timer;
    atomic_bool has_fired; /* a timer's */
    atomic_int outcomes;
} gift_t;

static atomic_int open_gifts;

static gift_t *new_gift(void) {
    gift_t *gift = calloc(1, sizeof *gift);
    MUST(gift != NULL, "no memory for the storm itself");
    open_gifts += 1;
    return gift;
}

/* Of a task, or of a submitter whose call has failed. */
static void release(void *context) {
    gift_t *gift = context;
    MUST(atomic_fetch_add(&gift->outcomes, 1) == 0, "a task that releases its own object has two outcomes");
    sq_item_release(gift->item);
    sq_group_release(gift->group);
    sq_queue_release(gift->queue);
    free(gift);
    open_gifts -= 1;
    totals.releases += 1;
}

static void release_pair(void *gift, void *unused, bool runs) {
    (void)unused;
    (void)runs;
    release(gift);
}

static void refused(gift_t *gift, int error, const target_t *target) {
    MUST((error == ESHUTDOWN && target->is_shut) || (error == EAGAIN && target->capacity > 0), "a submission returned %d", error);
    sq_item_t *item = gift->item;
    gift->item = NULL;
    if (item == NULL) {
        release(gift);
    } else {
        sq_item_release(item); /* its outcome, which calls `release` */
    }
}

static void give_item(self_t *me, target_t *target) {
    gift_t *gift = new_gift();
    sq_item_t *item = gift->item = sq_item_create("own", &(sq_task_t){ release, gift, release });
    MUST(item != NULL, "an item cannot be made (errno %d)", errno);
    int error;
    switch (below(&me->chance, 3)) {
    case 0: error = sq_item_submit(item, target->queue); break;
    case 1: error = sq_item_submit_after(item, target->queue, 0); break;
    default: {
        sq_group_t *group = gift->group = sq_group_create("own");
        MUST(group != NULL, "a group cannot be made (errno %d)", errno);
        error = sq_group_submit_item(group, item, target->queue);
    }
    }
    if (error != 0) {
        refused(gift, error, target);
    }
}

static void give_group(self_t *me, target_t *target) {
    gift_t *gift = new_gift();
    sq_group_t *group = gift->group = sq_group_create("own");
    MUST(group != NULL, "a group cannot be made (errno %d)", errno);
    const sq_task_t task = { release, gift, release };
    int error;
    switch (below(&me->chance, 4)) {
    case 0: error = sq_group_async_task(group, target->queue, &task); break;
    case 1: error = sq_group_async_pair(group, target->queue, release_pair, gift, NULL); break;
    case 2: error = sq_group_async_barrier_task(group, target->queue, &task); break;
    default: error = sq_group_notify(group, target->queue, &task); /* at once: it has no members */
    }
    if (error != 0) {
        refused(gift, error, target);
    }
}

static void nothing(void *context) { (void)context; }
static void never_stalled(void *context, const sq_stall_t *stall) { (void)context, (void)stall; }

/* On a target of its own, which is released before it, or while it has tasks; suspended or not. */
static void give_queue_and_target(self_t *me) {
    gift_t *gift = new_gift();
    sq_queue_t *target = queue_of_any_kind("below", &me->chance);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = target;
    sq_queue_t *queue = sq_queue_create("above", &options);
    MUST(queue != NULL, "a queue cannot be made (errno %d)", errno);
    bool is_suspended = below(&me->chance, 2) == 0, is_first = below(&me->chance, 2) == 0;
    if (is_suspended) {
        MUST(sq_suspend(target) == 0, "a suspend failed");
    }
    if (is_first) {
        sq_queue_release(target);
    }
    MUST(sq_async_job(queue, release_pair, gift, NULL) == 0, "a job for a passing queue was refused");
    if (!is_suspended || is_first) {
        int error = sq_sync_until(queue, soon(&me->chance), nothing, NULL);
        MUST(error == 0 || error == ETIMEDOUT || (error == EDEADLK && may_deadlock(me)), "a sync onto a passing queue returned %d", error);
    }
    sq_queue_release(queue);
    if (!is_first) {
        sq_queue_release(target);
    }
}

/* With a watcher, and next to a wait with a deadline, which has a reference of its own. */
static void give_queue(self_t *me) {
    if (takes_part(TARGET) && below(&me->chance, 3) == 0) {
        give_queue_and_target(me);
        return;
    }
    gift_t *gift = new_gift();
    sq_queue_t *queue = gift->queue = queue_of_any_kind("own", &me->chance);
    bool is_suspended = below(&me->chance, 4) == 0;
    if (takes_part(WATCH) && below(&me->chance, 4) == 0) {
        MUST(sq_queue_watch(queue, MILLISECOND, &(sq_watcher_t){ never_stalled, NULL, NULL }) == 0, "a watching failed");
    }
    if (is_suspended) {
        MUST(sq_suspend(queue) == 0, "a suspend failed");
    }
    for (uint64_t i = below(&me->chance, 3); i > 0; i -= 1) {
        int error = sq_async_after(queue, below(&me->chance, 3) * 50 * MICROSECOND, nothing, NULL);
        MUST(error == 0 || error == EAGAIN, "a task for a passing queue returned %d", error);
    }
    if (is_suspended) {
        gift->queue = NULL; /* never reached: the last release discards it */
    } else {
        sq_queue_retain(queue);
    }
    int error = sq_async_job(queue, release_pair, gift, NULL);
    MUST(error == 0, "a job for a passing queue returned %d", error);
    if (!is_suspended) {
        error = sq_sync_until(queue, soon(&me->chance), nothing, NULL);
        MUST(error == 0 || error == ETIMEDOUT || (error == EDEADLK && may_deadlock(me)), "a sync onto a passing queue returned %d", error);
    }
    sq_queue_release(queue);
}

static void fire(void *context) {
    gift_t *gift = context;
    MUST(!atomic_exchange(&gift->has_fired, true), "a released timer fires again");
    sq_timer_release(gift->timer);
}

/* The first firing releases the timer: nothing else does, as the queue is the gift's own and is not shut down. */
static void give_timer(self_t *me) {
    gift_t *gift = new_gift();
    sq_queue_t *queue = queue_of_any_kind("timed", &me->chance);
    sq_timer_t *timer = gift->timer = sq_timer_create(queue, &(sq_task_t){ fire, gift, release });
    MUST(timer != NULL, "a timer cannot be made (errno %d)", errno);
    int error = sq_timer_start(timer, below(&me->chance, 2) * 20 * MICROSECOND, below(&me->chance, 2) * MILLISECOND, 0);
    MUST(error == 0, "the start of a timer returned %d", error);
    sq_queue_release(queue);
}

void act_release(self_t *me, target_t *target) {
    switch (below(&me->chance, 8)) {
    case 0: give_queue(me); break;
    case 1: give_timer(me); break;
    case 2:
    case 3:
    case 4: give_group(me, target); break;
    default: give_item(me, target);
    }
}

void release_end(void) { wait_until_zero("tasks that release their own objects never ended", &open_gifts); }
