/* failure_test.c: calls that create a queue and submit to it, without memory or threads (sweep.h). */
#include "harness.h"
#include "sweep.h"

#include <sched.h>
#include <stdatomic.h>

/* What a call works on. `accepted` is the caller's, the other counts are the queue's. */
typedef struct stage {
    sq_queue_t *queue;
    size_t accepted, ran, disorders, next;
} stage_t;

typedef struct scenario {
    const char *name;
    void (*prepare)(stage_t *);
    int (*call)(stage_t *); /* adds what it got accepted */
} scenario_t;

typedef struct numbered {
    stage_t *stage;
    size_t number;
} numbered_t;

static void run_numbered(void *context) {
    numbered_t *task = context;
    task->stage->disorders += task->number < task->stage->next;
    task->stage->next = task->number + 1;
    task->stage->ran += 1;
}

static void run_plain(void *context) { ((stage_t *)context)->ran += 1; }

static void never(void *context) {
    (void)context;
    CHECK(false);
}

static void bump(void *context) { latch_bump(context); }

static void make_queue(stage_t *stage) {
    stage->queue = sq_queue_create("stage", NULL);
    REQUIRE(stage->queue != NULL);
}

/* With a thread, and a ring that is yet to be made. */
static void make_queue_with_thread(stage_t *stage) {
    make_queue(stage);
    latch_t ran = LATCH_INIT;
    int error = sq_async(stage->queue, bump, &ran);
    REQUIRE(error == 0);
    latch_wait(&ran, 1); /* not by a sync: that might have to queue */
}

static int call_create(stage_t *stage) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    errno = 0;
    sq_queue_t *queue = sq_queue_create("created", &options);
    int error = queue ? 0 : errno;
    sq_queue_release(stage->queue); /* the one from the call before */
    stage->queue = queue;
    return error;
}

static int call_async(stage_t *stage) {
    int error = sq_async(stage->queue, run_plain, stage);
    stage->accepted += error == 0;
    return error;
}

static int call_async_task(stage_t *stage) {
    int error = sq_async_task(stage->queue, &(sq_task_t){ run_plain, stage, never });
    stage->accepted += error == 0;
    return error;
}

/* Inside a sync task the queue is owned: what is submitted goes into the ring. Enough for several segments. */
enum { BACKLOG = 300 };

static void submit_backlog(void *context) {
    static numbered_t tasks[2 * BACKLOG];
    static size_t used;
    stage_t *stage = context;
    for (size_t i = 0; i < BACKLOG; i += 1, used += 1) {
        tasks[used % (2 * BACKLOG)] = (numbered_t){ stage, used };
        int error = sq_async(stage->queue, run_numbered, &tasks[used % (2 * BACKLOG)]);
        CHECK(error == 0 || error == ENOMEM);
        stage->accepted += error == 0;
    }
}

static int call_backlog(stage_t *stage) {
    size_t before = stage->accepted;
    int error = sq_sync(stage->queue, submit_backlog, stage); /* may be refused itself, if the runner still lingers */
    return error == 0 && stage->accepted - before < BACKLOG ? ENOMEM : error;
}

/* A sync that has to wait: another thread is in the queue, and leaves when the call has its slot or has been refused. */
typedef struct intruder {
    stage_t *stage;
    hold_t hold;
    atomic_bool refused;
} intruder_t;

static void *leave_in_time(void *argument) {
    intruder_t *intruder = argument;
    while (!intruder->refused && sq_queue_depth(intruder->stage->queue) == 0) {
        sched_yield();
    }
    hold_end(&intruder->hold);
    return NULL;
}

static int call_contended(stage_t *stage, int (*sync)(sq_queue_t *, sq_function_t, void *)) {
    intruder_t intruder = { .stage = stage };
    hold_sync(&intruder.hold, stage->queue);
    pthread_t leaver = spawn(leave_in_time, &intruder);
    int error = sync(stage->queue, run_plain, stage);
    stage->accepted += error == 0;
    intruder.refused = true;
    join(leaver);
    return error;
}

static int call_contended_sync(stage_t *stage) { return call_contended(stage, sq_sync); }
static int call_contended_sync_or_run(stage_t *stage) { return call_contended(stage, sq_sync_or_run); }

static void sync_itself(void *context) {
    stage_t *stage = context;
    CHECK_EQUAL(sq_sync(stage->queue, never, NULL), EDEADLK);
    CHECK(sq_deadlock_report() != NULL);
}

static int call_own_sync(stage_t *stage) { return sq_sync(stage->queue, sync_itself, stage); }

static int call_free_sync(stage_t *stage) {
    int error = sq_sync(stage->queue, run_plain, stage);
    stage->accepted += error == 0;
    return error;
}

static const scenario_t scenarios[] = {
    { "create", make_queue, call_create },
    { "first_async", make_queue, call_async },
    { "first_async_task", make_queue, call_async_task },
    { "backlog", make_queue_with_thread, call_backlog },
    { "contended_sync", make_queue, call_contended_sync },
    { "contended_sync_or_run", make_queue, call_contended_sync_or_run },
    { "own_sync", make_queue, call_own_sync },
    { "free_sync", make_queue, call_free_sync },
};

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };
const char *name_of(size_t scene) { return scenarios[scene].name; }

void play(size_t scene, trial_t *trial) {
    const scenario_t *scenario = &scenarios[scene];
    stage_t stage = { .queue = NULL };
    scenario->prepare(&stage);
    famine(trial);
    int error = scenario->call(&stage);
    CHECK(relief(trial, error) || error == 0);
    CHECK_EQUAL(scenario->call(&stage), 0);
    drain(stage.queue);
    CHECK_EQUAL(stage.ran, stage.accepted);
    CHECK_EQUAL(stage.disorders, 0);
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(stage.queue, &stats);
    CHECK_EQUAL(stats.depth, 0);
    CHECK_EQUAL(stats.submitted, stats.ran);
    sq_queue_release(stage.queue);
}

/* The places are counted so that a sweep in which nothing failed is noticed. */
TEST(each_allocation_of_each_call_can_fail) {
    uint64_t sites = 0;
    for (size_t i = 0; i < SCENARIOS; i += 1) {
        uint64_t once = sweep(i, FAIL_ALLOCATION, false), forever = sweep(i, FAIL_ALLOCATION, true);
        note("%s: %" PRIu64 " allocations", scenarios[i].name, once);
        CHECK_EQUAL(forever > 0, once > 0);
        sites += once;
    }
    CHECK(sites >= 12);
}

TEST(each_thread_creation_of_each_call_can_fail) {
    uint64_t sites = sweep_all(SCENARIOS, FAIL_THREAD, false) + sweep_all(SCENARIOS, FAIL_THREAD, true);
    CHECK_EQUAL(sites, 4); /* first_async, first_async_task */
}

/* Calls that must not need memory: their callers cannot handle a failure. */
TEST(reading_releasing_and_draining_never_allocate) {
    stage_t stage = { .queue = NULL };
    make_queue_with_thread(&stage);
    hold_t hold;
    hold_async(&hold, stage.queue);
    for (size_t i = 0; i < BACKLOG; i += 1) {
        REQUIRE(call_async(&stage) == 0);
    }
    uint64_t before = allocations();
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(stage.queue, &stats);
    CHECK_EQUAL(sq_queue_depth(stage.queue), BACKLOG);
    CHECK_STRING(sq_queue_label(stage.queue), "stage");
    CHECK(!sq_is_current(stage.queue));
    CHECK(sq_current_queue() == NULL);
    CHECK_STRING(sq_deadlock_report(), "");
    sq_queue_release(sq_queue_retain(stage.queue));
    latch_t ended = LATCH_INIT;
    CHECK_EQUAL(sq_async(stage.queue, bump, &ended), 0);
    sq_queue_release(stage.queue);
    hold_end(&hold);
    latch_wait(&ended, 1);
    CHECK_EQUAL(allocations(), before);
    CHECK_EQUAL(stage.ran, BACKLOG);
}
