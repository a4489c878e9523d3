/* fork_stacks_test.c: a wait runs a task that forks. In the child the wait ends, and leaves alone what other threads of the parent have on their
 * stacks: threads of the child get these. ThreadSanitizer cannot follow a process with threads through a fork. */
#include "caller.h"
#include "child.h"
#include "manual.h"

#include "objects/group_record.h"
#include "timer/timer_record.h"

typedef struct waits {
    sq_pool_t *pool;
    sq_queue_t *queue;
    sq_group_t *group;
    sq_timer_t *timer;
    latch_t runs, leave; /* what both threads wait for */
    atomic_int other;    /* the thread that waits first */
    int error, status;
    const void *on_stack; /* of the other thread: its place in the list */
    size_t bytes;
    char before[sizeof(sq__timer_waiter_t) + sizeof(sq_await_entry_t)];
} waits_t;

static void run_long(void *context) {
    waits_t *waits = context;
    latch_bump(&waits->runs);
    latch_wait(&waits->leave, 1);
}

static void fork_in_wait(void *context) {
    waits_t *waits = context;
    if (waits->group != NULL) {
        waits->on_stack = waits->group->waiters.first;
        waits->bytes = sizeof(sq_await_entry_t);
    } else {
        waits->on_stack = waits->timer->waiters->next;
        waits->bytes = sizeof(sq__timer_waiter_t);
    }
    memcpy(waits->before, waits->on_stack, waits->bytes);
    if (!fork_and_return(&waits->status)) {
        latch_bump(&waits->leave); /* here all waits may end */
    }
}

/* After the wait of the calling thread, which has run fork_in_wait. Does not return in the child. */
static void check_wait(waits_t *waits, int error) {
    if (waits->status == -1) { /* the child */
        bool good = CHECK_EQUAL(error, ESTALE);
        good &= CHECK(memcmp(waits->on_stack, waits->before, waits->bytes) == 0);
        _exit(!good);
    }
    CHECK_EQUAL(error, 0);
    CHECK_EQUAL(waits->status, 0);
}

static waits_t waits_begin(size_t width) {
    waits_t waits = { .pool = make_manual_pool(), .runs = LATCH_INIT, .leave = LATCH_INIT, .status = -2 };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = waits.pool;
    options.width = width;
    waits.queue = sq_queue_create("waits", &options);
    REQUIRE(waits.queue != NULL);
    return waits;
}

static void waits_end(waits_t *waits, pthread_t other) {
    join(other);
    CHECK_EQUAL(waits->error, 0);
    sq_queue_release(waits->queue);
    sq_pool_release(waits->pool);
}

static void *wait_for_group(void *context) {
    waits_t *waits = context;
    waits->error = sq_group_wait(waits->group, SQ_FOREVER);
    return NULL;
}

TEST(a_wait_for_a_group_that_runs_a_fork_leaves_the_other_waits_alone_in_the_child) {
    if (fork_left_out()) {
        return;
    }
    waits_t waits = waits_begin(1);
    waits.group = sq_group_create("group");
    sq_queue_t *forks = queue_on(waits.pool, "forks", 0);
    CHECK_EQUAL(sq_group_async(waits.group, waits.queue, run_long, &waits), 0);
    pthread_t other = spawn(wait_for_group, &waits); /* it runs that task in its wait */
    latch_wait(&waits.runs, 1);
    CHECK_EQUAL(sq_group_async(waits.group, forks, fork_in_wait, &waits), 0);
    check_wait(&waits, sq_group_wait(waits.group, SQ_FOREVER));
    waits_end(&waits, other);
    sq_group_release(waits.group);
    sq_queue_release(forks);
}

static void *fire(void *context) {
    (void)sq_pool_advance(((waits_t *)context)->pool, 1);
    return NULL;
}

static void *wait_for_firing(void *context) {
    waits_t *waits = context;
    waits->other = gettid();
    waits->error = sq_timer_cancel_and_wait(waits->timer, SQ_FOREVER);
    return NULL;
}

TEST(a_wait_for_a_firing_that_runs_a_fork_leaves_the_other_waits_alone_in_the_child) {
    if (fork_left_out()) {
        return;
    }
    waits_t waits = waits_begin(4);
    waits.timer = sq_timer_create(waits.queue, &(sq_task_t){ .run = run_long, .context = &waits });
    CHECK_EQUAL(sq_timer_start(waits.timer, 1, 0, 0), 0);
    pthread_t firing = spawn(fire, &waits);
    latch_wait(&waits.runs, 1);
    pthread_t other = spawn(wait_for_firing, &waits);
    wait_until_asleep(&waits.other); /* a thread that is awake might run what comes next */
    CHECK_EQUAL(sq_async(waits.queue, fork_in_wait, &waits), 0);
    check_wait(&waits, sq_timer_cancel_and_wait(waits.timer, SQ_FOREVER));
    sq_timer_release(waits.timer);
    waits_end(&waits, other);
    join(firing);
}
