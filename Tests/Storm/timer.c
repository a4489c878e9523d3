/* timer.c: timers that are started, cancelled, waited for and released, on all kinds of queues, suspended ones included.
 *
 * DESIGN. A slot has one timer at a time; the thread that has its lock is the timer's owner meanwhile. The book of a timer is freed by the
 * later one of its release and its discard function. */
#include "storm.h"

#include <sched.h>
#include <time.h>

typedef struct clockwork {
    sq_timer_t *timer;
    target_t *target;
    struct slot *slot;
    atomic_int users, firing, discards;
    atomic_bool is_quiet; /* a cancel-and-wait has returned 0, and no start came after it */
} clockwork_t;

static struct slot {
    pthread_mutex_t lock;
    clockwork_t *clockwork; /* NULL: its queue takes no timers any more */
} slots[TIMERS];

static atomic_int open_timers;

static void drop(clockwork_t *clockwork) {
    if (atomic_fetch_sub(&clockwork->users, 1) == 1) {
        free(clockwork);
        open_timers -= 1;
    }
}

static void start(clockwork_t *clockwork, chance_t *chance, uint64_t longest) {
    uint64_t interval = below(chance, 2) ? 0 : (100 + below(chance, 500)) * MICROSECOND;
    clockwork->is_quiet = false;
    uint64_t delay = below(chance, longest + 1) * MICROSECOND, leeway = below(chance, 2) * 100 * MICROSECOND;
    int error = sq_timer_start(clockwork->timer, delay, interval, leeway);
    MUST(error == 0 || (error == ESHUTDOWN && clockwork->target->is_shut), "the start of a timer returned %d", error);
}

/* A firing may start and cancel its own timer, if no other thread is about to. */
static void use_own(clockwork_t *clockwork, self_t *me) {
    if (below(&me->chance, 8) == 0 && pthread_mutex_trylock(&clockwork->slot->lock) == 0) {
        if (clockwork->slot->clockwork == clockwork) {
            if (below(&me->chance, 2)) {
                start(clockwork, &me->chance, 200);
            } else {
                sq_timer_cancel(clockwork->timer);
            }
        }
        pthread_mutex_unlock(&clockwork->slot->lock);
    }
}

static void fire(void *context) {
    clockwork_t *clockwork = context;
    target_t *target = clockwork->target;
    self_t *me = self();
    MUST(!clockwork->is_quiet, "a timer fires after a cancel-and-wait");
    MUST(!clockwork->discards, "a timer fires after its discard");
    MUST(atomic_fetch_add(&clockwork->firing, 1) == 0, "two firings of a timer at once");
    MUST(sq_is_current(target->queue), "a queue is not current in a firing");
    target_enter(target, "a firing", is_serial(target), true);
    if (below(&me->chance, 3) == 0) {
        nanosleep(&(struct timespec){ .tv_nsec = (long)(below(&me->chance, 400) * MICROSECOND) }, NULL); /* for others to meet it */
    }
    yield_for(&me->chance);
    use_own(clockwork, me);
    target_leave(target, is_serial(target), true);
    MUST(!clockwork->is_quiet, "a cancel-and-wait returned 0 next to a firing");
    MUST(!clockwork->discards, "a timer was discarded next to its firing");
    clockwork->firing -= 1;
    totals.firings += 1;
}

static void discard(void *context) {
    clockwork_t *clockwork = context;
    MUST(clockwork->firing == 0, "a timer is discarded next to its firing");
    MUST(atomic_fetch_add(&clockwork->discards, 1) == 0, "a timer is discarded twice");
    drop(clockwork);
}

/* The slot's lock is held, or no other thread uses it. */
static void make(struct slot *slot, target_t *target) {
    clockwork_t *clockwork = calloc(1, sizeof *clockwork);
    MUST(clockwork != NULL, "no memory for the storm itself");
    clockwork->target = target;
    clockwork->slot = slot;
    clockwork->users = 2;
    open_timers += 1;
    clockwork->timer = sq_timer_create(target->queue, &(sq_task_t){ fire, clockwork, discard });
    if (clockwork->timer == NULL) {
        MUST(errno == ESHUTDOWN && target->is_shut, "a timer cannot be made (errno %d)", errno);
        free(clockwork);
        open_timers -= 1;
        clockwork = NULL;
    }
    slot->clockwork = clockwork;
}

static void release(struct slot *slot) {
    clockwork_t *clockwork = slot->clockwork;
    slot->clockwork = NULL;
    sq_timer_release(clockwork->timer);
    drop(clockwork);
}

static void cancel_and_wait(clockwork_t *clockwork, self_t *me) {
    int error = sq_timer_cancel_and_wait(clockwork->timer, soon(&me->chance));
    if (error == 0) {
        MUST(clockwork->firing == 0, "a cancel-and-wait returned 0 while a firing runs");
        clockwork->is_quiet = true;
    } else {
        MUST(error == ETIMEDOUT || (error == EDEADLK && may_deadlock(me)), "a cancel-and-wait returned %d", error);
    }
}

/* While the queue is suspended, each firing waits in it, and the next start cancels it there. */
static void start_often(clockwork_t *clockwork, self_t *me) {
    enum { YIELDS = 2000 };
    sq_queue_t *queue = clockwork->target->queue;
    if (sq_suspend(queue) != 0) {
        return;
    }
    for (uint64_t i = 1 + below(&me->chance, 6); i > 0; i -= 1) {
        size_t depth = sq_queue_depth(queue);
        start(clockwork, &me->chance, 0);
        for (int k = 0; k < YIELDS && sq_queue_depth(queue) == depth; k += 1) {
            sched_yield();
        }
    }
    int error = sq_resume(queue);
    MUST(error == 0 || clockwork->target->is_shut, "a resume returned %d", error);
    for (int k = 0; k < YIELDS && !clockwork->firing; k += 1) {
        sched_yield();
    }
}

void act_timer(self_t *me, target_t *target) {
    struct slot *slot = &slots[below(&me->chance, TIMERS)];
    if (pthread_mutex_trylock(&slot->lock) != 0) {
        return;
    }
    clockwork_t *clockwork = slot->clockwork;
    if (clockwork == NULL) {
        make(slot, target);
    } else {
        switch (below(&me->chance, 8)) {
        case 0: sq_timer_cancel(clockwork->timer); break;
        case 1: cancel_and_wait(clockwork, me); break;
        case 2:
            start_often(clockwork, me);
            cancel_and_wait(clockwork, me);
            break;
        case 3:
            start_often(clockwork, me);
            release(slot);
            make(slot, target);
            break;
        case 4: MUST(sq_timer_intervals(clockwork->timer) < UINT32_MAX, "a firing stands for too many intervals"); break;
        default: start(clockwork, &me->chance, 500);
        }
    }
    pthread_mutex_unlock(&slot->lock);
}

void timers_begin(chance_t *chance) {
    for (int i = 0; i < TIMERS; i += 1) {
        pthread_mutex_init(&slots[i].lock, NULL);
        make(&slots[i], &targets[below(chance, (uint64_t)target_count)]);
    }
}

/* Before the shutdowns. Some are released, so that their discard comes in its turn; the others are cancelled, and discarded by the end. */
void timers_cancel(chance_t *chance) {
    for (int i = 0; i < TIMERS; i += 1) {
        pthread_mutex_lock(&slots[i].lock); /* of a firing that still uses its own */
        if (slots[i].clockwork != NULL && below(chance, 2)) {
            release(&slots[i]);
        } else if (slots[i].clockwork != NULL) {
            sq_timer_cancel(slots[i].clockwork->timer);
        }
        pthread_mutex_unlock(&slots[i].lock);
    }
}

/* After the shutdowns. */
void timers_end(void) {
    for (int i = 0; i < TIMERS; i += 1) {
        if (slots[i].clockwork != NULL) {
            release(&slots[i]);
        }
        pthread_mutex_destroy(&slots[i].lock);
    }
    wait_until_zero("timers were never discarded", &open_timers);
}
