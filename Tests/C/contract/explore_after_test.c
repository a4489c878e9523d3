/* explore_after_test.c: a task can be interrupted when a call has returned, before it acts on what it got. */
#include "explore_scene.h"

#include "sq_barrier.h"
#include "sq_item.h"

/* A call of a task, whether it has taken effect, and what the task does next. */
static struct {
    void (*call)(void);
    bool has_called, has_acted;
    sq_queue_t *queue;
    sq_semaphore_t *semaphore;
    sq_item_t *item;
} this;

static void note_call(void *unused) {
    (void)unused;
    this.has_called = true;
}

static void call_sync(void) { CHECK_EQUAL(sq_sync(this.queue, note_call, NULL), 0); }
static void call_sync_or_run(void) { CHECK_EQUAL(sq_sync_or_run(this.queue, note_call, NULL), 0); }
static void call_async_and_wait(void) { CHECK_EQUAL(sq_async_and_wait(this.queue, SQ_FOREVER, note_call, NULL), 0); }
static void call_sync_barrier(void) { CHECK_EQUAL(sq_sync_barrier(this.queue, note_call, NULL), 0); }

static void call_wait(void) { CHECK_EQUAL(sq_semaphore_wait(this.semaphore, SQ_FOREVER), 0); }
static void call_cancel(void) { CHECK_EQUAL(sq_item_cancel(this.item), 0); }

static void call_and_act(void *unused) {
    (void)unused;
    this.call();
    this.has_acted = true;
}

static bool permit_is_taken(void) {
    bool is_taken = sq_semaphore_wait(this.semaphore, SQ_NOW) != 0;
    if (!is_taken) {
        CHECK_EQUAL(sq_semaphore_signal(this.semaphore), 0);
    }
    return is_taken;
}

static void look(void *unused) {
    (void)unused;
    bool has_called = this.call == call_wait ? permit_is_taken() : this.has_called || sq_item_is_cancelled(this.item);
    outcomes[has_called + 2 * this.has_acted] += 1;
}

static void nothing(void *unused) { (void)unused; }

static void call_and_look(sq_pool_t *pool, void *unused) {
    scene_t scene = scene_on(pool);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    (void)unused;
    options.pool = pool;
    options.width = this.call == call_sync_barrier ? 2 : 1;
    this.has_called = this.has_acted = false;
    this.queue = sq_queue_create("queue", &options);
    this.semaphore = sq_semaphore_create("permit", 1);
    this.item = sq_item_create("item", &(sq_task_t){ nothing, NULL, NULL });
    REQUIRE(this.queue != NULL && this.semaphore != NULL && this.item != NULL);
    CHECK_EQUAL(sq_async(scene.a, call_and_act, NULL), 0);
    CHECK_EQUAL(sq_async(scene.b, look, NULL), 0);
    sq_pool_run(pool);
    sq_queue_release(this.queue);
    sq_semaphore_release(this.semaphore);
    sq_item_release(this.item);
    end_scene(&scene);
}

/* To see it fail: no pause after the call: in sync_explored (sync.c), barrier_in_task, wait_explored (semaphore.c) or sq_item_cancel. */
TEST(a_task_can_be_interrupted_when_a_call_has_returned) {
    static void (*const calls[])(void) = { call_sync, call_sync_or_run, call_async_and_wait, call_sync_barrier,
                                          call_wait, call_cancel };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i += 1) {
        this.call = calls[i];
        check_outcomes_of("calls", call_and_look, "013");
    }
}
