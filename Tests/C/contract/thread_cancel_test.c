/* thread_cancel_test.c: a thread that is cancelled (pthread_cancel) before or in a call of the library: the call does what it does, and the cancellation
 * acts after it. foreign_test.c has the tasks that are cancelled, and the callers that wait for their turn. */
#include "caller.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_loop.h"
#include "sq_semaphore.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

typedef struct scene {
    sq_queue_t *suspended;
    sq_group_t *group;
    sq_item_t *item;
    sq_semaphore_t *semaphore;
    sq_pool_t *loop;
    int file;
} scene_t;

/* Each sleeps until a deadline, or opens and closes descriptors. */
static sq_time_t soon(void) { return sq_deadline(2000000); }

static void sync_until(scene_t *scene) { CHECK_EQUAL(sq_sync_until(scene->suspended, soon(), do_nothing, NULL), ETIMEDOUT); }
static void run_and_wait(scene_t *scene) { CHECK_EQUAL(sq_run_and_wait(scene->suspended, soon(), must_not_run, NULL), ETIMEDOUT); }
static void shut_down(scene_t *scene) { CHECK_EQUAL(sq_shutdown(scene->suspended, SQ_SHUTDOWN_DRAIN, soon()), ETIMEDOUT); }
static void wait_for_group(scene_t *scene) { CHECK_EQUAL(sq_group_wait(scene->group, soon()), ETIMEDOUT); }
static void wait_for_item(scene_t *scene) { CHECK_EQUAL(sq_item_wait(scene->item, soon()), ETIMEDOUT); }
static void wait_for_permit(scene_t *scene) { CHECK_EQUAL(sq_semaphore_wait(scene->semaphore, soon()), ETIMEDOUT); }
static void run_loop(scene_t *scene) { CHECK_EQUAL(sq_pool_run_some(scene->loop, 1, soon()), 0); }
static void dump(scene_t *scene) { CHECK_EQUAL(sq_dump(scene->file), 0); }
static void trace(scene_t *scene) {
    (void)scene;
    CHECK_EQUAL(sq_trace_start("/dev/null"), 0);
    CHECK_EQUAL(sq_trace_stop(), 0);
}
static void make_pool(scene_t *scene) {
    (void)scene;
    sq_pool_t *pool = sq_pool_create("cancelled", NULL);
    CHECK(pool != NULL);
    sq_pool_release(pool);
}
/* The descriptor of a loop that is released is closed, whatever happens to the thread. */
static void make_loop(scene_t *scene) {
    (void)scene;
    sq_pool_t *pool = sq_pool_create_loop("cancelled");
    CHECK(pool != NULL);
    int file = sq_pool_fd(pool);
    sq_pool_release(pool);
    CHECK(fcntl(file, F_GETFD) < 0);
}
static void make_queue(scene_t *scene) {
    (void)scene;
    size_t ran = 0;
    sq_queue_t *queue = make_queue_of("cancelled", 1);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &(sq_task_t){ add_one, &ran, NULL }), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 2);
    sq_queue_release(queue);
}

typedef struct call {
    const char *name;
    void (*make)(scene_t *scene);
} call_t;

static const call_t calls[] = {
    { "sq_sync_until", sync_until }, { "sq_run_and_wait", run_and_wait }, { "sq_group_wait", wait_for_group }, { "sq_item_wait", wait_for_item },
    { "sq_semaphore_wait", wait_for_permit }, { "sq_pool_run_some", run_loop }, { "sq_dump", dump }, { "sq_trace_start, sq_trace_stop", trace },
    { "sq_pool_create, sq_pool_release", make_pool }, { "sq_pool_create_loop, sq_pool_release", make_loop }, { "sq_queue_create, sq_async", make_queue },
    { "sq_shutdown", shut_down },
};

static scene_t scene;
static const call_t *call;
static bool returned;

static void *make_call_cancelled(void *argument) {
    REQUIRE(pthread_cancel(pthread_self()) == 0); /* it is pending: the first cancellation point ends the thread */
    call->make(&scene);
    returned = true;
    pthread_testcancel();
    return argument;
}

TEST(a_cancellation_acts_after_the_call) {
    scene = (scene_t){ .suspended = make_queue_of("suspended", 0), .group = sq_group_create("group"), .semaphore = sq_semaphore_create("semaphore", 0),
                       .item = sq_item_create("item", &(sq_task_t){ must_not_run, NULL, NULL }), .loop = sq_pool_create_loop("loop"),
                       .file = open("/dev/null", O_WRONLY | O_CLOEXEC) };
    REQUIRE(scene.group != NULL && scene.semaphore != NULL && scene.item != NULL && scene.loop != NULL && scene.file >= 0);
    CHECK_EQUAL(sq_suspend(scene.suspended), 0);
    CHECK_EQUAL(sq_group_enter(scene.group), 0);
    CHECK_EQUAL(sq_item_submit(scene.item, scene.suspended), 0);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i += 1) {
        void *result;
        call = &calls[i];
        returned = false;
        pthread_t thread = spawn(make_call_cancelled, NULL);
        REQUIRE(pthread_join(thread, &result) == 0);
        if (!CHECK(returned) || !CHECK(result == PTHREAD_CANCELED)) {
            note("%s is a cancellation point", call->name);
        }
    }
    CHECK(sq_item_cancel(scene.item) == 0);
    CHECK_EQUAL(sq_resume(scene.suspended), 0);
    CHECK_EQUAL(sq_shutdown(scene.suspended, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_group_leave(scene.group), 0);
    close(scene.file);
    sq_queue_release(scene.suspended);
    sq_group_release(scene.group);
    sq_item_release(scene.item);
    sq_semaphore_release(scene.semaphore);
    sq_pool_release(scene.loop);
}
